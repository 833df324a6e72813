// Written for floorplan; types only.
package xml

type Marshaler interface{ MarshalXML(e *Encoder, start StartElement) error }
type Unmarshaler interface{ UnmarshalXML(d *Decoder, start StartElement) error }
type MarshalerAttr interface{ MarshalXMLAttr(name Name) (Attr, error) }
type UnmarshalerAttr interface{ UnmarshalXMLAttr(attr Attr) error }
