// Functional interfaces: what a lambda is handed and what it gives. Written for floorplan; types only.
package java.util.function;

import java.io.*;
import java.util.*;
import java.util.function.*;
import java.util.stream.*;
import java.util.concurrent.*;

public interface Function<T, R> { R apply(T t); default <V> Function<T, V> andThen(Function<? super R, ? extends V> f) {} default <V> Function<V, R> compose(Function<? super V, ? extends T> f) {} static <A> Function<A, A> identity() {} }
public interface BiFunction<T, U, R> { R apply(T t, U u); default <V> BiFunction<T, U, V> andThen(Function<? super R, ? extends V> f) {} }
public interface UnaryOperator<T> extends Function<T, T> {}
public interface BinaryOperator<T> extends BiFunction<T, T, T> {}
public interface Consumer<T> { void accept(T t); default Consumer<T> andThen(Consumer<? super T> c) {} }
public interface BiConsumer<T, U> { void accept(T t, U u); default BiConsumer<T, U> andThen(BiConsumer<? super T, ? super U> c) {} }
public interface Supplier<T> { T get(); }
public interface Predicate<T> { boolean test(T t); default Predicate<T> and(Predicate<? super T> p) {} default Predicate<T> or(Predicate<? super T> p) {} default Predicate<T> negate() {} static <A> Predicate<A> not(Predicate<? super A> p) {} }
public interface BiPredicate<T, U> { boolean test(T t, U u); default BiPredicate<T, U> and(BiPredicate<? super T, ? super U> p) {} default BiPredicate<T, U> or(BiPredicate<? super T, ? super U> p) {} default BiPredicate<T, U> negate() {} }
public interface ToIntFunction<T> { int applyAsInt(T t); }
public interface ToLongFunction<T> { long applyAsLong(T t); }
public interface ToDoubleFunction<T> { double applyAsDouble(T t); }
public interface ToIntBiFunction<T, U> { int applyAsInt(T t, U u); }
public interface ToLongBiFunction<T, U> { long applyAsLong(T t, U u); }
public interface ToDoubleBiFunction<T, U> { double applyAsDouble(T t, U u); }
public interface IntFunction<R> { R apply(int i); }
public interface LongFunction<R> { R apply(long i); }
public interface DoubleFunction<R> { R apply(double i); }
public interface IntPredicate { boolean test(int i); }
public interface LongPredicate { boolean test(long i); }
public interface DoublePredicate { boolean test(double i); }
public interface IntConsumer { void accept(int i); }
public interface LongConsumer { void accept(long i); }
public interface DoubleConsumer { void accept(double i); }
public interface IntSupplier { int getAsInt(); }
public interface LongSupplier { long getAsLong(); }
public interface DoubleSupplier { double getAsDouble(); }
public interface BooleanSupplier { boolean getAsBoolean(); }
public interface IntUnaryOperator { int applyAsInt(int i); }
public interface LongUnaryOperator { long applyAsLong(long i); }
public interface DoubleUnaryOperator { double applyAsDouble(double i); }
public interface IntBinaryOperator { int applyAsInt(int a, int b); }
public interface LongBinaryOperator { long applyAsLong(long a, long b); }
public interface DoubleBinaryOperator { double applyAsDouble(double a, double b); }
public interface IntToLongFunction { long applyAsLong(int i); }
public interface IntToDoubleFunction { double applyAsDouble(int i); }
public interface LongToIntFunction { int applyAsInt(long i); }
public interface LongToDoubleFunction { double applyAsDouble(long i); }
public interface DoubleToIntFunction { int applyAsInt(double i); }
public interface DoubleToLongFunction { long applyAsLong(double i); }
public interface ObjIntConsumer<T> { void accept(T t, int i); }
public interface ObjLongConsumer<T> { void accept(T t, long i); }
public interface ObjDoubleConsumer<T> { void accept(T t, double i); }
