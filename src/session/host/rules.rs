//! Stored "always" rules and trusted directories.

use std::path::Path;

use crate::session::ErrorReport;
use crate::store::{Grant, Store, TrustedPlace};

/// Everything here blocks.
pub struct StoredRules {
    store: Store,
}

impl StoredRules {
    pub fn open(data: &Path) -> Result<Self, ErrorReport> {
        Ok(Self {
            store: Store::open(data)?,
        })
    }

    /// Returns every stored rule, the oldest first.
    pub fn grants(&self) -> Result<Vec<Grant>, ErrorReport> {
        Ok(self.store.grants()?)
    }

    /// Removes a rule; returns false if there was none.
    pub fn revoke(&self, id: i64) -> Result<bool, ErrorReport> {
        Ok(self.store.revoke_grant(id)?)
    }

    pub fn trusted_places(&self) -> Result<Vec<TrustedPlace>, ErrorReport> {
        Ok(self.store.trusted_places()?)
    }

    /// Trusts a directory no longer; returns false if it was not trusted.
    pub fn distrust(&self, place: &Path) -> Result<bool, ErrorReport> {
        Ok(self.store.distrust(place)?)
    }
}
