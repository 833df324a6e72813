// Interfaces of readers and writers. Written for floorplan; types only.
package io

type Reader interface{ Read(p []byte) (n int, err error) }
type Writer interface{ Write(p []byte) (n int, err error) }
type Closer interface{ Close() error }
type Seeker interface{ Seek(offset int64, whence int) (int64, error) }
type ReaderFrom interface{ ReadFrom(r Reader) (n int64, err error) }
type WriterTo interface{ WriteTo(w Writer) (n int64, err error) }
type ReaderAt interface{ ReadAt(p []byte, off int64) (n int, err error) }
type WriterAt interface{ WriteAt(p []byte, off int64) (n int, err error) }
type ByteReader interface{ ReadByte() (byte, error) }
type ByteScanner interface {
	ByteReader
	UnreadByte() error
}
type ByteWriter interface{ WriteByte(c byte) error }
type RuneReader interface{ ReadRune() (r rune, size int, err error) }
type StringWriter interface{ WriteString(s string) (n int, err error) }

type ReadCloser interface {
	Reader
	Closer
}
type WriteCloser interface {
	Writer
	Closer
}
type ReadWriter interface {
	Reader
	Writer
}
