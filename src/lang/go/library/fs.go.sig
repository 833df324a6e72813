// Interfaces of file systems. Written for floorplan; types only.
package fs

import "time"

type FS interface{ Open(name string) (File, error) }
type ReadDirFS interface{ ReadDir(name string) ([]DirEntry, error) }
type ReadFileFS interface{ ReadFile(name string) ([]byte, error) }
type StatFS interface{ Stat(name string) (FileInfo, error) }
type GlobFS interface{ Glob(pattern string) ([]string, error) }
type SubFS interface{ Sub(dir string) (FS, error) }

type File interface {
	Stat() (FileInfo, error)
	Read(b []byte) (int, error)
	Close() error
}
type ReadDirFile interface{ ReadDir(n int) ([]DirEntry, error) }

type FileInfo interface {
	Name() string
	Size() int64
	Mode() FileMode
	ModTime() time.Time
	IsDir() bool
	Sys() any
}
type DirEntry interface {
	Name() string
	IsDir() bool
	Type() FileMode
	Info() (FileInfo, error)
}
