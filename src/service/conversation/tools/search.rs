//! `memory_search`: it takes no lock and changes nothing in the store.

use crate::render::Scope;

use super::super::super::ServiceError;
use super::super::super::search::{Found, SearchRequest, Searches};
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
            if let Some((store, snapshot)) = self.store_of(scope).snapshot()? {
                let mut searches = Searches::default();
                searches.open_loaded(scope, store, snapshot);
                found.push(searches.ask(request)?);
            }
        }
        Ok(Found::of_all(found, request.limit))
    }
}
