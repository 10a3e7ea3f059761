//! Game files and positions: conversion, notation, adjudication and diagrams.

pub mod convert;
pub mod judge;
pub mod notation;
mod show;

pub use show::{Show, show};
