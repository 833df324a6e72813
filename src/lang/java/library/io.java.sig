// The hierarchy of streams and readers. Written for floorplan; types only.
package java.io;

import java.io.*;
import java.util.*;
import java.util.function.*;
import java.util.stream.*;
import java.util.concurrent.*;

public interface Serializable {}
public interface Closeable extends AutoCloseable {}
public interface Flushable {}
public abstract class InputStream implements Closeable { int read() {} byte[] readAllBytes() {} }
public abstract class OutputStream implements Closeable, Flushable { void write(int b) {} void flush() {} }
public abstract class Reader implements Readable, Closeable { int read() {} }
public abstract class Writer implements Appendable, Closeable, Flushable { void write(String s) {} void flush() {} }
public class FilterInputStream extends InputStream {}
public class BufferedInputStream extends FilterInputStream {}
public class ByteArrayInputStream extends InputStream {}
public class FileInputStream extends InputStream {}
public class ByteArrayOutputStream extends OutputStream { byte[] toByteArray() {} String toString() {} int size() {} }
public class FileOutputStream extends OutputStream {}
public class FilterOutputStream extends OutputStream {}
public class BufferedOutputStream extends FilterOutputStream {}
public class PrintStream extends FilterOutputStream implements Appendable { void println(Object o) {} void print(Object o) {} PrintStream printf(String s, Object... a) {} }
public class BufferedReader extends Reader { String readLine() {} Stream<String> lines() {} }
public class InputStreamReader extends Reader {}
public class FileReader extends InputStreamReader {}
public class StringReader extends Reader {}
public class StringWriter extends Writer { String toString() {} StringBuffer getBuffer() {} }
public class BufferedWriter extends Writer {}
public class OutputStreamWriter extends Writer {}
public class FileWriter extends OutputStreamWriter {}
public class PrintWriter extends Writer { void println(Object o) {} void print(Object o) {} PrintWriter printf(String s, Object... a) {} }
public class File implements Serializable, Comparable<File> { String getName() {} String getPath() {} String getAbsolutePath() {} File getParentFile() {} File getAbsoluteFile() {} File getCanonicalFile() {} boolean exists() {} boolean isDirectory() {} boolean isFile() {} File[] listFiles() {} String[] list() {} Path toPath() {} URI toURI() {} long length() {} boolean delete() {} boolean mkdirs() {} static String separator; }
public class IOException extends Exception {}
public class UncheckedIOException extends RuntimeException {}
public class FileNotFoundException extends IOException {}
public class EOFException extends IOException {}
