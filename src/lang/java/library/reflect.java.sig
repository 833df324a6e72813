// Reflection: whose members are asked for is seen, what they are is not. Written for floorplan; types only.
package java.lang.reflect;

public interface Type {}
public interface AnnotatedElement { <A> A getAnnotation(Class<A> a); <A> A[] getAnnotationsByType(Class<A> a); boolean isAnnotationPresent(Class<?> a); }
public interface GenericDeclaration extends AnnotatedElement {}
public interface Member { String getName(); Class<?> getDeclaringClass(); int getModifiers(); }
public interface ParameterizedType extends Type { Type[] getActualTypeArguments(); Type getRawType(); Type getOwnerType(); }
public interface WildcardType extends Type { Type[] getUpperBounds(); Type[] getLowerBounds(); }
public interface GenericArrayType extends Type { Type getGenericComponentType(); }
public interface TypeVariable<D> extends Type { String getName(); Type[] getBounds(); D getGenericDeclaration(); }
public interface InvocationHandler { Object invoke(Object proxy, Method method, Object[] args); }
public class AccessibleObject implements AnnotatedElement { void setAccessible(boolean b) {} }
public abstract class Executable extends AccessibleObject implements Member, GenericDeclaration { Class<?>[] getParameterTypes() {} Type[] getGenericParameterTypes() {} Parameter[] getParameters() {} boolean isVarArgs() {} }
public class Method extends Executable { Object invoke(Object o, Object... a) {} Class<?> getReturnType() {} Type getGenericReturnType() {} Object getDefaultValue() {} }
public class Constructor<T> extends Executable { T newInstance(Object... a) {} }
public class Field extends AccessibleObject implements Member { Object get(Object o) {} void set(Object o, Object v) {} Class<?> getType() {} Type getGenericType() {} }
public class Parameter implements AnnotatedElement { String getName() {} Class<?> getType() {} }
