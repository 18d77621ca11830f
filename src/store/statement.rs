//! One prepared statement, run to its end. Statements are kept with the connection for the next time.

use rusqlite::{Connection, Error as SqlError, OptionalExtension, Params, Row};

use super::StoreError;

/// Returns all rows that a query finds.
pub(super) fn rows<T>(
    connection: &Connection,
    sql: &str,
    values: impl Params,
    read: impl FnMut(&Row<'_>) -> Result<T, SqlError>,
) -> Result<Vec<T>, StoreError> {
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(values, read)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the first row that a query finds, if it finds any.
pub(super) fn row<T>(
    connection: &Connection,
    sql: &str,
    values: impl Params,
    read: impl FnOnce(&Row<'_>) -> Result<T, SqlError>,
) -> Result<Option<T>, StoreError> {
    let mut statement = connection.prepare_cached(sql)?;
    Ok(statement.query_row(values, read).optional()?)
}

/// Returns the row of a query that always has one.
pub(super) fn only_row<T>(
    connection: &Connection,
    sql: &str,
    values: impl Params,
    read: impl FnOnce(&Row<'_>) -> Result<T, SqlError>,
) -> Result<T, StoreError> {
    Ok(connection.prepare_cached(sql)?.query_row(values, read)?)
}

/// Returns true if a query finds anything.
pub(super) fn exists(connection: &Connection, sql: &str, values: impl Params) -> Result<bool, StoreError> {
    Ok(connection.prepare_cached(sql)?.exists(values)?)
}

/// Runs a statement that changes the database, and returns how many rows it changed.
pub(super) fn execute(connection: &Connection, sql: &str, values: impl Params) -> Result<usize, StoreError> {
    Ok(connection.prepare_cached(sql)?.execute(values)?)
}
