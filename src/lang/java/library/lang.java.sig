// Signatures that inference follows: what a call gives, what extends what. Written for floorplan; types only.
package java.lang;

import java.io.*;
import java.util.*;
import java.util.function.*;
import java.util.stream.*;
import java.util.concurrent.*;
import java.lang.reflect.*;

public interface Iterable<T> { Iterator<T> iterator(); void forEach(Consumer<? super T> action); }
public interface Comparable<T> { int compareTo(T other); }
public interface CharSequence { int length(); char charAt(int index); String toString(); CharSequence subSequence(int start, int end); boolean isEmpty(); }
public interface Appendable { Appendable append(CharSequence text); Appendable append(char c); }
public interface AutoCloseable { void close(); }
public interface Runnable { void run(); }
public interface Cloneable {}
public class String implements CharSequence, Comparable<String>, Serializable {
    static String valueOf(Object o) {} static String format(String f, Object... a) {} static String join(CharSequence s, Object... a) {}
    String trim() {} String substring(int a, int b) {} String toLowerCase() {} String toUpperCase() {} String replace(CharSequence a, CharSequence b) {}
    String replaceAll(String a, String b) {} String replaceFirst(String a, String b) {} String concat(String a) {} String intern() {} String repeat(int n) {} String strip() {}
    String[] split(String r) {} char[] toCharArray() {} byte[] getBytes() {} boolean equals(Object o) {} boolean startsWith(String s) {} boolean endsWith(String s) {}
    boolean contains(CharSequence s) {} boolean matches(String s) {} boolean equalsIgnoreCase(String s) {} int indexOf(String s) {} int lastIndexOf(String s) {} int hashCode() {}
    int codePointAt(int i) {} String toString() {} Stream<String> lines() {} boolean isBlank() {} int compareTo(String s) {}
}
public class StringBuilder implements CharSequence, Appendable, Comparable<StringBuilder>, Serializable {
    StringBuilder append(Object o) {} StringBuilder insert(int i, Object o) {} StringBuilder reverse() {} StringBuilder deleteCharAt(int i) {} StringBuilder delete(int a, int b) {}
    StringBuilder replace(int a, int b, String s) {} String toString() {} String substring(int a, int b) {} int indexOf(String s) {} int capacity() {}
}
public class StringBuffer implements CharSequence, Appendable, Comparable<StringBuffer>, Serializable {
    StringBuffer append(Object o) {} StringBuffer insert(int i, Object o) {} StringBuffer reverse() {} String toString() {} String substring(int a, int b) {}
}
public abstract class Number implements Serializable { int intValue() {} long longValue() {} float floatValue() {} double doubleValue() {} byte byteValue() {} short shortValue() {} }
public class Integer extends Number implements Comparable<Integer> { static int parseInt(String s) {} static Integer valueOf(Object s) {} static String toString(int i) {} static String toHexString(int i) {} static int compare(int a, int b) {} static int MAX_VALUE; static int MIN_VALUE; }
public class Long extends Number implements Comparable<Long> { static long parseLong(String s) {} static Long valueOf(Object s) {} static String toString(long i) {} static long MAX_VALUE; static long MIN_VALUE; }
public class Short extends Number implements Comparable<Short> { static short parseShort(String s) {} static Short valueOf(Object s) {} static short MAX_VALUE; static short MIN_VALUE; }
public class Byte extends Number implements Comparable<Byte> { static byte parseByte(String s) {} static Byte valueOf(Object s) {} static byte MAX_VALUE; static byte MIN_VALUE; }
public class Double extends Number implements Comparable<Double> { static double parseDouble(String s) {} static Double valueOf(Object s) {} static double MAX_VALUE; static double NaN; static double MIN_VALUE; static double POSITIVE_INFINITY; static double NEGATIVE_INFINITY; }
public class Float extends Number implements Comparable<Float> { static float parseFloat(String s) {} static Float valueOf(Object s) {} static float MAX_VALUE; static float NaN; static float MIN_VALUE; static float POSITIVE_INFINITY; static float NEGATIVE_INFINITY; }
public class Character implements Comparable<Character>, Serializable { char charValue() {} static Character valueOf(char c) {} static String toString(char c) {} static boolean isDigit(char c) {} static boolean isLetter(char c) {} static boolean isWhitespace(char c) {} static char toUpperCase(char c) {} static char toLowerCase(char c) {} static int getNumericValue(char c) {} }
public class Boolean implements Comparable<Boolean>, Serializable { boolean booleanValue() {} static boolean parseBoolean(String s) {} static Boolean valueOf(Object s) {} static String toString(boolean b) {} static Boolean TRUE; static Boolean FALSE; }
public class Class<T> implements Type, Serializable {
    T newInstance() {} T cast(Object o) {} String getName() {} String getSimpleName() {} Class<?> getComponentType() {} Class<?> getDeclaringClass() {} Class<? super T> getSuperclass() {}
    Class<?>[] getInterfaces() {} boolean isArray() {} boolean isInstance(Object o) {} boolean isPrimitive() {} boolean isInterface() {} boolean isEnum() {} T[] getEnumConstants() {}
    static Class<?> forName(String name) {} boolean isAssignableFrom(Class<?> c) {} <A> A getAnnotation(Class<A> a) {} <A> A[] getAnnotationsByType(Class<A> a) {} Method getMethod(String n, Class<?>... p) {} Method getDeclaredMethod(String n, Class<?>... p) {} Method[] getDeclaredMethods() {} Method[] getMethods() {} Field getField(String n) {} Field getDeclaredField(String n) {} Field[] getDeclaredFields() {} Constructor<T> getDeclaredConstructor(Class<?>... p) {} Constructor<T> getConstructor(Class<?>... p) {} String getCanonicalName() {} Class<?> getEnclosingClass() {}
}
public class Throwable implements Serializable { String getMessage() {} String getLocalizedMessage() {} Throwable getCause() {} Throwable initCause(Throwable t) {} StackTraceElement[] getStackTrace() {} void printStackTrace() {} Throwable[] getSuppressed() {} String toString() {} }
public class Exception extends Throwable {}
public class Error extends Throwable {}
public class RuntimeException extends Exception {}
public class IllegalArgumentException extends RuntimeException {}
public class IllegalStateException extends RuntimeException {}
public class NullPointerException extends RuntimeException {}
public class IndexOutOfBoundsException extends RuntimeException {}
public class UnsupportedOperationException extends RuntimeException {}
public class ClassCastException extends RuntimeException {}
public class ArithmeticException extends RuntimeException {}
public class NumberFormatException extends IllegalArgumentException {}
public class ReflectiveOperationException extends Exception {}
public class ClassNotFoundException extends ReflectiveOperationException {}
public class NoSuchMethodException extends ReflectiveOperationException {}
public class NoSuchFieldException extends ReflectiveOperationException {}
public class InstantiationException extends ReflectiveOperationException {}
public class IllegalAccessException extends ReflectiveOperationException {}
public class CloneNotSupportedException extends Exception {}
public class InterruptedException extends Exception {}
public class AssertionError extends Error {}
public class Thread implements Runnable { void run() {} void start() {} void join() {} void interrupt() {} String getName() {} static Thread currentThread() {} ThreadGroup getThreadGroup() {} long getId() {} boolean isAlive() {} void setDaemon(boolean b) {} }
public class ThreadLocal<T> { T get() {} void set(T value) {} void remove() {} static <S> ThreadLocal<S> withInitial(Supplier<? extends S> s) {} }
public final class System { static int identityHashCode(Object o) {} static long nanoTime() {} static long currentTimeMillis() {} static String getProperty(String k) {} static String lineSeparator() {} static String getenv(String k) {} }
public final class Math { static double sqrt(double d) {} static double pow(double a, double b) {} static int round(float f) {} static double floor(double d) {} static double ceil(double d) {} static double random() {} }
