// Streams: what flows through them. Written for floorplan; types only.
package java.util.stream;

import java.io.*;
import java.util.*;
import java.util.function.*;
import java.util.stream.*;
import java.util.concurrent.*;

public interface BaseStream<T, S> { Iterator<T> iterator(); S parallel(); S sequential(); S onClose(Runnable r); void close(); }
public interface Stream<T> extends BaseStream<T, Stream<T>> {
    Stream<T> filter(Predicate<? super T> p); <R> Stream<R> map(Function<? super T, ? extends R> f); <R> Stream<R> flatMap(Function<? super T, Stream<R>> f); IntStream mapToInt(ToIntFunction<? super T> f); LongStream mapToLong(ToLongFunction<? super T> f); DoubleStream mapToDouble(ToDoubleFunction<? super T> f);
    Stream<T> distinct(); Stream<T> sorted(); Stream<T> sorted(Comparator<? super T> c); Stream<T> peek(Consumer<? super T> c); Stream<T> limit(long n); Stream<T> skip(long n); Stream<T> takeWhile(Predicate<? super T> p); Stream<T> dropWhile(Predicate<? super T> p);
    void forEach(Consumer<? super T> c); void forEachOrdered(Consumer<? super T> c); Object[] toArray(); <A> A[] toArray(IntFunction<A[]> f); T reduce(T identity, BinaryOperator<T> f); Optional<T> reduce(BinaryOperator<T> f); <R> R collect(Collector<? super T, ?, R> c);
    Optional<T> min(Comparator<? super T> c); Optional<T> max(Comparator<? super T> c); long count(); boolean anyMatch(Predicate<? super T> p); boolean allMatch(Predicate<? super T> p); boolean noneMatch(Predicate<? super T> p); Optional<T> findFirst(); Optional<T> findAny(); List<T> toList();
    static <A> Stream<A> of(A... items) {} static <A> Stream<A> empty() {} static <A> Stream<A> concat(Stream<? extends A> a, Stream<? extends A> b) {} static <A> Stream<A> iterate(A seed, UnaryOperator<A> f) {} static <A> Stream<A> generate(Supplier<? extends A> s) {}
}
public interface IntStream { Stream<Integer> boxed(); <R> Stream<R> mapToObj(IntFunction<? extends R> f); IntStream map(IntUnaryOperator f); IntStream filter(IntPredicate p); void forEach(IntConsumer c); int sum(); int[] toArray(); static IntStream range(int a, int b) {} static IntStream rangeClosed(int a, int b) {} static IntStream of(int... items) {} boolean anyMatch(IntPredicate p); boolean allMatch(IntPredicate p); }
public interface LongStream { Stream<Long> boxed(); <R> Stream<R> mapToObj(LongFunction<? extends R> f); LongStream map(LongUnaryOperator f); void forEach(LongConsumer c); long sum(); long[] toArray(); }
public interface DoubleStream { Stream<Double> boxed(); <R> Stream<R> mapToObj(DoubleFunction<? extends R> f); DoubleStream map(DoubleUnaryOperator f); void forEach(DoubleConsumer c); double sum(); double[] toArray(); }
public interface Collector<T, A, R> {}
public class Collectors {
    static <T> Collector<T, ?, List<T>> toList() {} static <T> Collector<T, ?, Set<T>> toSet() {} static <T> Collector<T, ?, List<T>> toUnmodifiableList() {} static <T> Collector<T, ?, Set<T>> toUnmodifiableSet() {} static Collector<CharSequence, ?, String> joining() {} static Collector<CharSequence, ?, String> joining(CharSequence s) {} static Collector<CharSequence, ?, String> joining(CharSequence s, CharSequence p, CharSequence e) {}
    static <T, C> Collector<T, ?, C> toCollection(Supplier<C> s) {} static <T, K, V> Collector<T, ?, Map<K, V>> toMap(Function<? super T, ? extends K> k, Function<? super T, ? extends V> v) {} static <T, K> Collector<T, ?, Map<K, List<T>>> groupingBy(Function<? super T, ? extends K> k) {} static <T> Collector<T, ?, Map<Boolean, List<T>>> partitioningBy(Predicate<? super T> p) {}
}
