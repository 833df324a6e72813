// Functions that give what they are given. Written for floorplan; types only.
package maps

func Clone[M any](m M) M
