//! Games and positions as files and text: conversion between formats and notations, verdicts, diagrams.

pub mod convert;
pub mod judge;
pub mod notation;
mod show;

pub use show::{Show, show};
