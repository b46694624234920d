//! `memory_search`: it takes no lock and changes nothing in the store.

use crate::render::Scope;

use super::super::super::ServiceError;
use super::super::super::search::{Found, SearchRequest};
use super::super::Conversations;

impl Conversations {
    /// Searches the memories of these stores.
    pub fn memory_search(
        &mut self,
        scopes: &[Scope],
        request: &SearchRequest,
    ) -> Result<Found, ServiceError> {
        let mut found = Vec::new();
        for scope in self.scopes(scopes) {
            found.extend(self.store_of(scope).search(scope, request)?);
        }
        Ok(Found::of_all(found, request.limit))
    }
}
