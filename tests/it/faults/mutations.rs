//! Inputs spoiled at random, by seeds that are printed.
