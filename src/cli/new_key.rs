//! An API key that is given on the screen of a first start: tried, written to a file of its own, and referred to by the
//! configuration.
//!
//! The file lies in the data directory, because the configuration is often shared and a key never is.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::failure::Failure;
use super::runtime;
use crate::config::Dirs;
use crate::private_file;
use crate::session::wire::{KeyedProvider, OpenRequest, keyed_providers};
use crate::tui::{ApiKey, KeyService, KeyServices, KeyTrial};

/// Maximum time of a request that tries a key.
const PATIENCE: Duration = Duration::from_secs(10);

/// The providers that a key may be given for, and the place of keys.
pub(super) struct NewKeys {
    providers: Vec<KeyedProvider>,
    directory: PathBuf,
}

impl NewKeys {
    pub(super) fn of(dirs: &Dirs) -> Self {
        Self {
            providers: keyed_providers(&|name| std::env::var(name).ok()),
            directory: dirs.data.join("keys"),
        }
    }

    /// Returns what the screen needs, and tries keys from now on.
    pub(super) fn services(&self) -> KeyServices {
        let (trials, asked) = mpsc::unbounded_channel();
        let providers = self.providers.clone();
        thread::spawn(move || try_keys(&providers, asked));
        let services = self.providers.iter().map(|keyed| KeyService {
            name: keyed.service.to_owned(),
            prefix: keyed.key_prefix.to_owned(),
            address: keyed.shown_address(),
            key_file: self.key_file(keyed).to_string_lossy().into_owned(),
            settings: format!("{:#}\n", self.settings(keyed)),
        });
        KeyServices {
            services: services.collect(),
            trials,
        }
    }

    fn key_file(&self, keyed: &KeyedProvider) -> PathBuf {
        self.directory.join(keyed.name)
    }

    /// Returns the configuration that refers to the key's file.
    fn settings(&self, keyed: &KeyedProvider) -> Value {
        let reference = format!("{{file:{}}}", self.key_file(keyed).display());
        json!({ "providers": provider(keyed, &reference) })
    }

    /// Writes a key to its file, and the configuration that refers to it where there is none.
    pub(super) fn keep(&self, service: usize, key: &ApiKey, config: &Path) -> Result<(), Failure> {
        let keyed = &self.providers[service];
        let file = self.key_file(keyed);
        let failed = |file: &Path, error| {
            Failure::system(&format!("`{}` could not be written", file.display()), error)
        };
        write_key(&self.directory, &file, key).map_err(|error| failed(&file, error))?;
        if config.exists() {
            return Ok(());
        }
        let settings = format!("{:#}\n", self.settings(keyed));
        write_new(config, &settings).map_err(|error| failed(config, error))
    }

    /// Has this process use a key.
    pub(super) fn use_key(&self, service: usize, key: &ApiKey, request: &mut OpenRequest) {
        let providers = provider(&self.providers[service], key.expose());
        request.loaded.config.providers =
            serde_json::from_value(providers).expect("the schema knows these two keys");
    }
}

/// The entry of `providers` with a key, or with a reference to one.
fn provider(keyed: &KeyedProvider, key: &str) -> Value {
    let mut settings = json!({ "api_key": key });
    if let Some(address) = &keyed.other_address {
        settings["base_url"] = json!(address);
    }
    json!({ keyed.name: settings })
}

/// Tries keys, each on a thread of its own, until the screen is left.
fn try_keys(providers: &[KeyedProvider], mut asked: mpsc::UnboundedReceiver<KeyTrial>) {
    while let Some(KeyTrial { service, key, answer }) = asked.blocking_recv() {
        let keyed = providers[service].clone();
        thread::spawn(move || {
            let tried = runtime::block_on(keyed.try_key(key.expose(), PATIENCE));
            let tried = tried.unwrap_or_else(|_| Err("The key could not be tried.".to_owned()));
            // Nobody may wait for it any more.
            let _ = answer.send(tried);
        });
    }
}

/// Writes a key in place of the one that may be there.
fn write_key(directory: &Path, file: &Path, key: &ApiKey) -> io::Result<()> {
    private_file::create_dir(directory)?;
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    write_new(file, &format!("{}\n", key.expose()))
}

/// Writes a file that is not there yet, for its owner alone.
pub(super) fn write_new(file: &Path, text: &str) -> io::Result<()> {
    if let Some(directory) = file.parent() {
        private_file::create_dir(directory)?;
    }
    let mut options = private_file::options();
    let mut new = options.write(true).create_new(true).open(file)?;
    new.write_all(text.as_bytes())
}
