// Signatures that inference follows: containers and what they hold. Written for floorplan; types only.
package java.util;

import java.io.*;
import java.util.*;
import java.util.function.*;
import java.util.stream.*;
import java.util.concurrent.*;

public interface Iterator<E> { boolean hasNext(); E next(); void remove(); }
public interface ListIterator<E> extends Iterator<E> { E previous(); boolean hasPrevious(); int nextIndex(); int previousIndex(); void set(E e); void add(E e); }
public interface Enumeration<E> { boolean hasMoreElements(); E nextElement(); }
public interface Collection<E> extends Iterable<E> {
    int size(); boolean isEmpty(); boolean contains(Object o); boolean add(E e); boolean remove(Object o); boolean addAll(Collection<? extends E> c); boolean containsAll(Collection<?> c);
    boolean removeIf(Predicate<? super E> p); void clear(); Object[] toArray(); <T> T[] toArray(T[] a); Stream<E> stream(); Stream<E> parallelStream();
}
public interface SequencedCollection<E> extends Collection<E> { E getFirst(); E getLast(); E removeFirst(); E removeLast(); }
public interface List<E> extends SequencedCollection<E> {
    E get(int index); E set(int index, E e); E remove(int index); int indexOf(Object o); int lastIndexOf(Object o); List<E> subList(int a, int b); ListIterator<E> listIterator(); void add(int i, E e);
    void sort(Comparator<? super E> c); void replaceAll(UnaryOperator<E> f); static <T> List<T> of(T... items) {} static <T> List<T> copyOf(Collection<? extends T> c) {}
}
public interface Set<E> extends Collection<E> { static <T> Set<T> of(T... items) {} static <T> Set<T> copyOf(Collection<? extends T> c) {} }
public interface SortedSet<E> extends Set<E> { E first(); E last(); SortedSet<E> headSet(E e); SortedSet<E> tailSet(E e); SortedSet<E> subSet(E a, E b); }
public interface NavigableSet<E> extends SortedSet<E> { E floor(E e); E ceiling(E e); E lower(E e); E higher(E e); E pollFirst(); E pollLast(); NavigableSet<E> descendingSet(); Iterator<E> descendingIterator(); }
public interface Queue<E> extends Collection<E> { E peek(); E poll(); E element(); E remove(); boolean offer(E e); }
public interface Deque<E> extends Queue<E>, SequencedCollection<E> { E peekFirst(); E peekLast(); E pollFirst(); E pollLast(); E pop(); void push(E e); void addFirst(E e); void addLast(E e); boolean offerFirst(E e); boolean offerLast(E e); Iterator<E> descendingIterator(); }
public interface Map<K, V> {
    V get(Object key); V put(K key, V value); V remove(Object key); V getOrDefault(Object key, V value); V putIfAbsent(K key, V value); V computeIfAbsent(K key, Function<? super K, ? extends V> f);
    V computeIfPresent(K key, BiFunction<? super K, ? super V, ? extends V> f); V compute(K key, BiFunction<? super K, ? super V, ? extends V> f); V merge(K key, V value, BiFunction<? super V, ? super V, ? extends V> f);
    V replace(K key, V value); boolean containsKey(Object key); boolean containsValue(Object v); int size(); boolean isEmpty(); void clear(); void putAll(Map<? extends K, ? extends V> m);
    Set<K> keySet(); Collection<V> values(); Set<Map.Entry<K, V>> entrySet(); void forEach(BiConsumer<? super K, ? super V> f); void replaceAll(BiFunction<? super K, ? super V, ? extends V> f);
    static <A, B> Map<A, B> of(A a, B b) {} static <A, B> Map<A, B> of() {} static <A, B> Map.Entry<A, B> entry(A a, B b) {} static <A, B> Map<A, B> copyOf(Map<A, B> m) {}
    interface Entry<K, V> { K getKey(); V getValue(); V setValue(V value); static <A, B> Comparator<Map.Entry<A, B>> comparingByKey() {} static <A, B> Comparator<Map.Entry<A, B>> comparingByValue() {} }
}
public interface SortedMap<K, V> extends Map<K, V> { K firstKey(); K lastKey(); SortedMap<K, V> headMap(K k); SortedMap<K, V> tailMap(K k); SortedMap<K, V> subMap(K a, K b); }
public interface NavigableMap<K, V> extends SortedMap<K, V> { Map.Entry<K, V> floorEntry(K k); Map.Entry<K, V> ceilingEntry(K k); Map.Entry<K, V> firstEntry(); Map.Entry<K, V> lastEntry(); Map.Entry<K, V> pollFirstEntry(); Map.Entry<K, V> lowerEntry(K k); Map.Entry<K, V> higherEntry(K k); K floorKey(K k); K ceilingKey(K k); NavigableSet<K> navigableKeySet(); NavigableMap<K, V> descendingMap(); }
public abstract class AbstractCollection<E> implements Collection<E> {}
public abstract class AbstractList<E> extends AbstractCollection<E> implements List<E> {}
public abstract class AbstractSequentialList<E> extends AbstractList<E> {}
public abstract class AbstractSet<E> extends AbstractCollection<E> implements Set<E> {}
public abstract class AbstractQueue<E> extends AbstractCollection<E> implements Queue<E> {}
public abstract class AbstractMap<K, V> implements Map<K, V> {}
public class ArrayList<E> extends AbstractList<E> implements RandomAccess, Cloneable, Serializable { ArrayList(int n) {} ArrayList(Collection<? extends E> c) {} void ensureCapacity(int n) {} void trimToSize() {} }
public class LinkedList<E> extends AbstractSequentialList<E> implements Deque<E>, Cloneable, Serializable {}
public class Vector<E> extends AbstractList<E> implements RandomAccess, Cloneable, Serializable { E elementAt(int i) {} E firstElement() {} E lastElement() {} Enumeration<E> elements() {} void addElement(E e) {} }
public class Stack<E> extends Vector<E> { E push(E e) {} E pop() {} E peek() {} boolean empty() {} int search(Object o) {} }
public class ArrayDeque<E> extends AbstractCollection<E> implements Deque<E>, Cloneable, Serializable {}
public class PriorityQueue<E> extends AbstractQueue<E> implements Serializable {}
public class HashSet<E> extends AbstractSet<E> implements Cloneable, Serializable {}
public class LinkedHashSet<E> extends HashSet<E> {}
public class TreeSet<E> extends AbstractSet<E> implements NavigableSet<E>, Cloneable, Serializable {}
public class HashMap<K, V> extends AbstractMap<K, V> implements Cloneable, Serializable {}
public class LinkedHashMap<K, V> extends HashMap<K, V> {}
public class TreeMap<K, V> extends AbstractMap<K, V> implements NavigableMap<K, V>, Cloneable, Serializable {}
public class WeakHashMap<K, V> extends AbstractMap<K, V> {}
public class IdentityHashMap<K, V> extends AbstractMap<K, V> {}
public class EnumMap<K, V> extends AbstractMap<K, V> {}
public class Hashtable<K, V> implements Map<K, V>, Cloneable, Serializable { Enumeration<K> keys() {} Enumeration<V> elements() {} }
public class Properties extends Hashtable<Object, Object> { String getProperty(String key) {} Object setProperty(String k, String v) {} Set<String> stringPropertyNames() {} }
public abstract class EnumSet<E> extends AbstractSet<E> { static <T> EnumSet<T> noneOf(Class<T> c) {} static <T> EnumSet<T> allOf(Class<T> c) {} static <T> EnumSet<T> of(T first, T... rest) {} static <T> EnumSet<T> copyOf(Collection<T> c) {} static <T> EnumSet<T> range(T a, T b) {} }
public class Optional<T> {
    T get() {} T orElse(T other) {} T orElseGet(Supplier<? extends T> s) {} T orElseThrow() {} boolean isPresent() {} boolean isEmpty() {} void ifPresent(Consumer<? super T> f) {} void ifPresentOrElse(Consumer<? super T> f, Runnable r) {}
    <U> Optional<U> map(Function<? super T, ? extends U> f) {} <U> Optional<U> flatMap(Function<? super T, Optional<U>> f) {} Optional<T> filter(Predicate<? super T> p) {} Optional<T> or(Supplier<Optional<T>> s) {} Stream<T> stream() {}
    static <A> Optional<A> of(A a) {} static <A> Optional<A> ofNullable(A a) {} static <A> Optional<A> empty() {}
}
public interface Comparator<T> {
    int compare(T a, T b); default Comparator<T> reversed() {} default Comparator<T> thenComparing(Comparator<? super T> c) {}
    static <A, U> Comparator<A> comparing(Function<? super A, ? extends U> f) {} static <A> Comparator<A> comparingInt(ToIntFunction<? super A> f) {} static <A> Comparator<A> naturalOrder() {} static <A> Comparator<A> reverseOrder() {} static <A> Comparator<A> nullsFirst(Comparator<A> c) {}
}
public class Collections {
    static <T> List<T> emptyList() {} static <T> Set<T> emptySet() {} static <K, V> Map<K, V> emptyMap() {} static <T> Iterator<T> emptyIterator() {} static <T> List<T> singletonList(T t) {} static <T> Set<T> singleton(T t) {} static <K, V> Map<K, V> singletonMap(K k, V v) {}
    static <T> List<T> unmodifiableList(List<? extends T> l) {} static <T> Set<T> unmodifiableSet(Set<? extends T> l) {} static <T> Collection<T> unmodifiableCollection(Collection<? extends T> l) {} static <K, V> Map<K, V> unmodifiableMap(Map<? extends K, ? extends V> m) {}
    static <T> List<T> synchronizedList(List<T> l) {} static <K, V> Map<K, V> synchronizedMap(Map<K, V> m) {} static <T> Set<T> synchronizedSet(Set<T> m) {} static <T> T max(Collection<? extends T> c) {} static <T> T min(Collection<? extends T> c) {} static <T> List<T> nCopies(int n, T t) {} static <T> void sort(List<T> l, Comparator<? super T> c) {} static <T> Set<T> newSetFromMap(Map<T, Boolean> m) {} static <T> Enumeration<T> enumeration(Collection<T> c) {} static <T> ArrayList<T> list(Enumeration<T> c) {} static <T> Comparator<T> reverseOrder() {}
}
public class Arrays { static <T> List<T> asList(T... items) {} static <T> Stream<T> stream(T[] items) {} static <T> T[] copyOf(T[] items, int n) {} static <T> T[] copyOfRange(T[] items, int a, int b) {} static String toString(Object[] a) {} static <T> void sort(T[] a, Comparator<? super T> c) {} }
public class Objects { static <T> T requireNonNull(T t) {} static <T> T requireNonNull(T t, String s) {} static <T> T requireNonNullElse(T t, T u) {} static boolean equals(Object a, Object b) {} static int hash(Object... a) {} static int hashCode(Object a) {} static String toString(Object a) {} static String toString(Object a, String b) {} static boolean isNull(Object o) {} static boolean nonNull(Object o) {} }
public class StringJoiner { StringJoiner add(CharSequence s) {} String toString() {} }
public class Locale { static Locale ENGLISH; static Locale ROOT; static Locale US; static Locale UK; static Locale GERMANY; static Locale FRANCE; static Locale getDefault() {} String getLanguage() {} String getCountry() {} String toString() {} }
public class Date implements Serializable, Cloneable, Comparable<Date> { long getTime() {} void setTime(long t) {} }
public abstract class Calendar implements Serializable, Cloneable, Comparable<Calendar> { static Calendar getInstance() {} static Calendar getInstance(TimeZone z) {} Date getTime() {} TimeZone getTimeZone() {} long getTimeInMillis() {} int get(int f) {} void set(int f, int v) {} }
public class GregorianCalendar extends Calendar {}
public abstract class TimeZone implements Serializable, Cloneable { static TimeZone getTimeZone(String id) {} static TimeZone getDefault() {} String getID() {} }
public class Random { int nextInt(int n) {} long nextLong() {} double nextDouble() {} boolean nextBoolean() {} }
public class UUID { static UUID randomUUID() {} String toString() {} }
public class Scanner implements Iterator<String>, Closeable { String nextLine() {} boolean hasNextLine() {} int nextInt() {} }
public class NoSuchElementException extends RuntimeException {}
public class ConcurrentModificationException extends RuntimeException {}
public class MissingResourceException extends RuntimeException {}
