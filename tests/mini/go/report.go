package main

import "example.com/text/format"

func report(err error) {
	println(format.Title(err.Error()))
}
