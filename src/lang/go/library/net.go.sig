// Interfaces of connections. Written for floorplan; types only.
package net

import "time"

type Addr interface {
	Network() string
	String() string
}
type Conn interface {
	Read(b []byte) (n int, err error)
	Write(b []byte) (n int, err error)
	Close() error
	LocalAddr() Addr
	RemoteAddr() Addr
	SetDeadline(t time.Time) error
	SetReadDeadline(t time.Time) error
	SetWriteDeadline(t time.Time) error
}
type Listener interface {
	Accept() (Conn, error)
	Close() error
	Addr() Addr
}
type Error interface {
	Timeout() bool
	Temporary() bool
}
