//! Conversions between columns and the conversation's values.

use std::error::Error;
use std::str::FromStr;

use rusqlite::types::Type;
use rusqlite::{Error as SqlError, Row};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::StoreError;
use crate::conversation::{ModelRef, Usage};

/// Returns the name of a unit variant as serde writes it.
pub(super) fn name(variant: &impl Serialize) -> Result<String, StoreError> {
    match serde_json::to_value(variant).map_err(StoreError::Body)? {
        Value::String(name) => Ok(name),
        other => Ok(other.to_string()),
    }
}

/// Reads a unit variant by its name.
pub(super) fn variant<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> Result<T, SqlError> {
    let name: String = row.get(column)?;
    serde_json::from_value(Value::String(name)).map_err(|error| damaged(column, error))
}

pub(super) fn json<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> Result<T, SqlError> {
    from_json(row.get_ref(column)?.as_str()?, column)
}

/// Reads what was a column's text.
pub(super) fn from_json<T: DeserializeOwned>(text: &str, column: usize) -> Result<T, SqlError> {
    serde_json::from_str(text).map_err(|error| damaged(column, error))
}

/// Reads an id, or anything else that is parsed from text.
pub(super) fn parsed<T>(row: &Row<'_>, column: usize) -> Result<T, SqlError>
where
    T: FromStr<Err: Error + Send + Sync + 'static>,
{
    parsed_text(row.get_ref(column)?.as_str()?, column)
}

/// Reads the same from a part of a column's text.
pub(super) fn parsed_text<T>(text: &str, column: usize) -> Result<T, SqlError>
where
    T: FromStr<Err: Error + Send + Sync + 'static>,
{
    text.parse().map_err(|error| damaged(column, error))
}

/// Like the above for columns that may be null.
pub(super) fn optional<T>(
    row: &Row<'_>,
    column: usize,
    read: impl FnOnce(&Row<'_>, usize) -> Result<T, SqlError>,
) -> Result<Option<T>, SqlError> {
    if row.get_ref(column)?.data_type() == Type::Null {
        Ok(None)
    } else {
        read(row, column).map(Some)
    }
}

/// Reads a number that is counted up.
pub(super) fn count(row: &Row<'_>, column: usize) -> Result<u64, SqlError> {
    row.get::<_, i64>(column).map(|count| count as u64)
}

/// Reads the counts of tokens, which stand in one order from a column on.
pub(super) fn usage(row: &Row<'_>, first: usize) -> Result<Usage, SqlError> {
    Ok(Usage {
        input: count(row, first)?,
        output: count(row, first + 1)?,
        reasoning: count(row, first + 2)?,
        cache_read: count(row, first + 3)?,
        cache_write: count(row, first + 4)?,
    })
}

/// Reads the name of a model; one that cannot be read is none.
pub(super) fn model(row: &Row<'_>, column: usize) -> Result<Option<ModelRef>, SqlError> {
    let name: Option<String> = row.get(column)?;
    Ok(name.and_then(|name| name.parse().ok()))
}

pub(super) fn to_json(value: &impl Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(StoreError::Body)
}

fn damaged(column: usize, error: impl Error + Send + Sync + 'static) -> SqlError {
    SqlError::FromSqlConversionFailure(column, Type::Text, Box::new(error))
}
