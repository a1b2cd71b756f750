//! Tests of the store through its public names, one module for each way in which a session can be tried.

mod big;
mod branched;
mod claude_code;
mod contract;
mod crash;
mod damage;
mod drawings;
mod found;
mod full;
mod index;
mod old;
mod replay;
mod rows;
mod slot;
mod watch;
mod words;
