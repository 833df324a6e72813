package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"unicode"
	"unicode/utf8"
)

// define adds what a file declares.
func (t *truth) define(file *ast.File) {
	for _, declaration := range file.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			kind := "function"
			if d.Recv != nil {
				kind = "method"
			}
			t.add(d.Name, d, qualified(d), kind, false)
			ast.Inspect(d, func(n ast.Node) bool {
				if spec, ok := n.(*ast.TypeSpec); ok {
					t.defineType(spec, qualified(d)+".", true)
				}
				return true
			})
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					t.defineType(s, "", false)
				case *ast.ValueSpec:
					for _, name := range s.Names {
						t.add(name, s, name.Name, "const", false)
					}
				}
			}
		}
	}
}

func (t *truth) defineType(spec *ast.TypeSpec, prefix string, nested bool) {
	kind := "type"
	switch ty := spec.Type.(type) {
	case *ast.StructType:
		kind = "class"
	case *ast.InterfaceType:
		kind = "interface"
		for _, method := range ty.Methods.List {
			for _, name := range method.Names {
				t.add(name, method, prefix+spec.Name.Name+"."+name.Name, "sig", nested)
				if d := t.definitions[name.Pos()]; d != nil {
					d.parent = spec.Name.Pos()
				}
			}
		}
	}
	t.add(spec.Name, spec, prefix+spec.Name.Name, kind, nested)
}

func (t *truth) add(name *ast.Ident, whole ast.Node, qualified, kind string, nested bool) {
	path, line, _ := t.repo.place(name.Pos())
	if path == "" || name.Name == "_" || t.definitions[name.Pos()] != nil {
		return
	}
	_, start, _ := t.repo.place(whole.Pos())
	_, end, _ := t.repo.place(whole.End())
	first, _ := utf8.DecodeRuneInString(name.Name)
	t.definitions[name.Pos()] = &definition{
		T: "def", File: path, Line: line, Start: start, End: end, Name: name.Name, Qual: qualified, Kind: kind,
		Nested: nested, Test: isTest(path), Exported: unicode.IsUpper(first) && !nested,
		Flags: []string{}, Decos: []string{}, Overrides: []int{}, Why: []string{}, Refs: [][]any{},
		at: name.Pos(), seen: map[token.Pos]bool{},
	}
}

// refer adds the references that a file makes.
func (t *truth) refer(info *types.Info, file *ast.File) {
	path, _, _ := t.repo.place(file.Pos())
	if path == "" {
		return
	}
	var stack []ast.Node
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		if name, ok := n.(*ast.Ident); ok {
			t.use(info, stack, name, path)
		}
		return true
	})
}

func (t *truth) use(info *types.Info, stack []ast.Node, name *ast.Ident, path string) {
	around := enclosing(stack)
	_, line, column := t.repo.place(name.Pos())
	object := info.Uses[name]
	if object == nil {
		selector, ok := stack[len(stack)-2].(*ast.SelectorExpr)
		if ok && selector.Sel == name && info.Defs[name] == nil {
			t.missed[name.Pos()] = unresolved{"unres", path, line, name.Name, around.qualified, "call", "type"}
		}
		return
	}
	d := t.definitions[origin(object).Pos()]
	if d == nil || d.seen[name.Pos()] {
		return
	}
	d.seen[name.Pos()] = true
	kind := kindOf(stack, name, object)
	if kind == "recv" {
		if method, ok := around.declaration.(*ast.FuncDecl); ok && t.definitions[method.Name.Pos()] != nil {
			t.definitions[method.Name.Pos()].parent = d.at
		}
	}
	marks := ""
	if around.name != nil && around.name.Pos() == d.at {
		marks += "s"
	}
	if isTest(path) {
		marks += "t"
	}
	within := 0
	if around.name != nil {
		_, within, _ = t.repo.place(around.name.Pos())
	}
	d.Refs = append(d.Refs, []any{path, line, column - 1, around.qualified, within, kind, marks})
}

// scope is the function or, outside functions, the type that code stands in.
type scope struct {
	declaration ast.Node
	name        *ast.Ident
	qualified   string
}

func enclosing(stack []ast.Node) scope {
	for _, n := range stack {
		switch d := n.(type) {
		case *ast.FuncDecl:
			return scope{d, d.Name, qualified(d)}
		case *ast.TypeSpec:
			return scope{d, d.Name, d.Name.Name}
		}
	}
	return scope{}
}

// kindOf is call, new (a type constructed or converted to), recv (it only names a receiver's type), type or value.
func kindOf(stack []ast.Node, name *ast.Ident, object types.Object) string {
	_, isType := object.(*types.TypeName)
	// The expression that the name ends: `a.b`, `(b)`, `b[T]`.
	var whole ast.Node = name
	at := len(stack) - 2
outward:
	for ; at >= 0; at-- {
		switch x := stack[at].(type) {
		case *ast.SelectorExpr:
			if x.Sel != whole {
				break outward
			}
		case *ast.ParenExpr:
		case *ast.IndexExpr:
			if x.X != whole {
				break outward
			}
		case *ast.IndexListExpr:
			if x.X != whole {
				break outward
			}
		case *ast.StarExpr:
			if !isType {
				break outward
			}
		default:
			break outward
		}
		whole = stack[at]
	}
	switch x := stack[at].(type) {
	case *ast.CallExpr:
		if x.Fun == whole && isType {
			return "new"
		}
		if x.Fun == whole {
			return "call"
		}
	case *ast.CompositeLit:
		if x.Type == whole {
			return "new"
		}
	}
	for i := len(stack) - 1; i > 0; i-- {
		list, ok := stack[i].(*ast.FieldList)
		if f, isFunction := stack[i-1].(*ast.FuncDecl); ok && isFunction && f.Recv == list {
			return "recv"
		}
	}
	if isType {
		return "type"
	}
	return "value"
}
