// Written for floorplan; types only.
package java.util.concurrent.atomic;

import java.io.*;
import java.util.*;
import java.util.function.*;
import java.util.stream.*;
import java.util.concurrent.*;

public class AtomicReference<V> { V get() {} void set(V v) {} V getAndSet(V v) {} boolean compareAndSet(V a, V b) {} V updateAndGet(UnaryOperator<V> f) {} V getAndUpdate(UnaryOperator<V> f) {} }
public class AtomicInteger extends Number { int get() {} int incrementAndGet() {} int getAndIncrement() {} int addAndGet(int n) {} void set(int n) {} int decrementAndGet() {} }
public class AtomicLong extends Number { long get() {} long incrementAndGet() {} long getAndIncrement() {} long addAndGet(long n) {} void set(long n) {} }
public class AtomicBoolean { boolean get() {} void set(boolean b) {} boolean compareAndSet(boolean a, boolean b) {} boolean getAndSet(boolean b) {} }
