// Concurrency: what is computed elsewhere. Written for floorplan; types only.
package java.util.concurrent;

import java.io.*;
import java.util.*;
import java.util.function.*;
import java.util.stream.*;
import java.util.concurrent.*;

public interface Callable<V> { V call(); }
public interface Future<V> { V get(); V get(long t, TimeUnit u); boolean cancel(boolean b); boolean isDone(); boolean isCancelled(); }
public interface Executor { void execute(Runnable r); }
public interface ExecutorService extends Executor { <T> Future<T> submit(Callable<T> c); Future<?> submit(Runnable r); void shutdown(); List<Runnable> shutdownNow(); <T> List<Future<T>> invokeAll(Collection<? extends Callable<T>> c); boolean isShutdown(); boolean isTerminated(); boolean awaitTermination(long t, TimeUnit u); }
public interface ConcurrentMap<K, V> extends Map<K, V> {}
public interface BlockingQueue<E> extends Queue<E> { E take(); void put(E e); }
public class ConcurrentHashMap<K, V> extends AbstractMap<K, V> implements ConcurrentMap<K, V>, Serializable {}
public class ConcurrentSkipListMap<K, V> extends AbstractMap<K, V> implements ConcurrentMap<K, V>, NavigableMap<K, V> {}
public class CopyOnWriteArrayList<E> implements List<E>, RandomAccess, Cloneable, Serializable {}
public class CopyOnWriteArraySet<E> extends AbstractSet<E> {}
public class ConcurrentLinkedQueue<E> extends AbstractQueue<E> {}
public class LinkedBlockingQueue<E> extends AbstractQueue<E> implements BlockingQueue<E> {}
public class CompletableFuture<T> implements Future<T> { <U> CompletableFuture<U> thenApply(Function<? super T, ? extends U> f) {} CompletableFuture<Void> thenAccept(Consumer<? super T> f) {} <U> CompletableFuture<U> thenCompose(Function<? super T, CompletableFuture<U>> f) {} T join() {} static <U> CompletableFuture<U> supplyAsync(Supplier<U> s) {} static <U> CompletableFuture<U> completedFuture(U u) {} CompletableFuture<T> exceptionally(Function<Throwable, ? extends T> f) {} }
