// Interfaces that servers and clients call. Written for floorplan; types only.
package http

import (
	"bufio"
	"io/fs"
	"net"
	"net/url"
)

type Handler interface{ ServeHTTP(w ResponseWriter, r *Request) }

type ResponseWriter interface {
	Header() Header
	Write(b []byte) (int, error)
	WriteHeader(statusCode int)
}
type Flusher interface{ Flush() }
type Hijacker interface{ Hijack() (net.Conn, *bufio.ReadWriter, error) }
type Pusher interface{ Push(target string, opts *PushOptions) error }
type CloseNotifier interface{ CloseNotify() <-chan bool }
type RoundTripper interface{ RoundTrip(r *Request) (*Response, error) }
type FileSystem interface{ Open(name string) (File, error) }
type CookieJar interface {
	SetCookies(u *url.URL, cookies []*Cookie)
	Cookies(u *url.URL) []*Cookie
}
type File interface {
	Readdir(count int) ([]fs.FileInfo, error)
	Stat() (fs.FileInfo, error)
}
