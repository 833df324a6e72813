//! Index stages in order.

pub mod background;
