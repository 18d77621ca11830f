//! The tables of programs whose options are all that matters.

use super::List;
use super::table::{Operands, Table};

/// A program and the options with which it only prints.
#[derive(Clone, Copy)]
pub(super) struct Program {
    pub(super) name: &'static str,
    pub(super) list: List,
    pub(super) table: Table,
    /// True if its words are text whatever they are, also words that only the shell knows.
    pub(super) words_are_text: bool,
    /// True if a wildcard may stand where options stand: none of its options does more than print.
    pub(super) any_wildcard: bool,
}

const fn program(
    name: &'static str,
    list: List,
    flags: &'static str,
    valued: &'static str,
    long: &'static str,
) -> Program {
    Program {
        name,
        list,
        table: Table::of(flags, valued, long),
        words_are_text: false,
        any_wildcard: false,
    }
}

/// The programs that sum files up.
const fn sums(name: &'static str) -> Program {
    program(name, Second, "btz", "", "binary text zero tag").any_wildcard()
}

impl Program {
    const fn text(self) -> Self {
        Self {
            words_are_text: true,
            any_wildcard: true,
            ..self
        }
    }

    const fn any_wildcard(self) -> Self {
        Self {
            any_wildcard: true,
            ..self
        }
    }

    const fn numbered(self) -> Self {
        let table = Table {
            numbers: true,
            ..self.table
        };
        Self { table, ..self }
    }

    const fn at_most(self, operands: usize) -> Self {
        let table = Table {
            operands: Operands::AtMost(operands),
            ..self.table
        };
        Self { table, ..self }
    }

    const fn attached(self, letters: &'static str) -> Self {
        let table = Table {
            attached: letters,
            ..self.table
        };
        Self { table, ..self }
    }
}

use List::{First, Second};

pub(super) const PROGRAMS: &[Program] = &[
    program("true", First, "", "", "").text(),
    program("false", First, "", "", "").text(),
    program("pwd", First, "LP", "", "logical physical").at_most(0),
    program(
        "ls",
        First,
        "aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1",
        "ITw",
        "all almost-all author escape block-size= ignore-backups color colour directory dereference \
         classify file-type format= full-time no-group group-directories-first human-readable si \
         dereference-command-line dereference-command-line-symlink-to-dir hide= hyperlink \
         indicator-style= inode ignore= kibibytes numeric-uid-gid literal hide-control-chars \
         show-control-chars quote-name quoting-style= reverse recursive size sort= time= time-style= \
         tabsize= width= context zero help version",
    )
    .any_wildcard(),
    program(
        "cat",
        First,
        "AbeEnstTuv",
        "",
        "show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting",
    )
    .any_wildcard(),
    program(
        "head",
        First,
        "qvz",
        "cn",
        "bytes= lines= quiet silent verbose zero-terminated",
    )
    .numbered()
    .any_wildcard(),
    program(
        "tail",
        First,
        "qvz",
        "cn",
        "bytes= lines= quiet silent verbose zero-terminated",
    )
    .numbered(),
    program(
        "wc",
        First,
        "clmLw",
        "",
        "bytes chars lines max-line-length words total=",
    )
    .any_wildcard(),
    program("which", First, "as", "", "").any_wildcard(),
    program("whoami", First, "", "", "").at_most(0),
    program(
        "uname",
        First,
        "asnrvmpio",
        "",
        "all kernel-name nodename kernel-release kernel-version machine processor hardware-platform \
         operating-system",
    )
    .at_most(0),
    program(
        "cut",
        First,
        "nsz",
        "bcdf",
        "bytes= characters= delimiter= fields= output-delimiter= complement only-delimited \
         zero-terminated",
    )
    .any_wildcard(),
    // `-l` starts another program.
    program(
        "diff",
        First,
        "qsucenyptTNrPaiEZbwBdH",
        "CUWxFI",
        "brief report-identical-files context unified ed normal rcs side-by-side width= left-column \
         suppress-common-lines show-c-function show-function-line= label= expand-tabs initial-tab \
         tabsize= suppress-blank-empty recursive no-dereference new-file unidirectional-new-file \
         ignore-file-name-case exclude= ignore-case ignore-tab-expansion ignore-trailing-space \
         ignore-space-change ignore-all-space ignore-blank-lines ignore-matching-lines= text \
         strip-trailing-cr minimal speed-large-files color palette=",
    )
    .numbered()
    .any_wildcard(),
    program(
        "stat",
        First,
        "Lft",
        "c",
        "dereference file-system cached= format= printf= terse",
    )
    .any_wildcard(),
    program(
        "du",
        First,
        "0abcDhHklLmPsSx",
        "Bdt",
        "null all apparent-size bytes total dereference-args human-readable inodes dereference \
         no-dereference separate-dirs si summarize one-file-system block-size= max-depth= threshold= \
         exclude= time time-style=",
    )
    .any_wildcard(),
    program(
        "nl",
        First,
        "p",
        "bdfhilnsvw",
        "body-numbering= section-delimiter= footer-numbering= header-numbering= line-increment= \
         join-blank-lines= number-format= no-renumber number-separator= starting-line-number= \
         number-width=",
    )
    .any_wildcard(),
    program(
        "uniq",
        First,
        "cdDiuz",
        "fsw",
        "count repeated all-repeated unique ignore-case zero-terminated skip-fields= skip-chars= \
         check-chars= group",
    )
    .at_most(1),
    program(
        "sort",
        First,
        "bdfgihMnrRVcCmsuz",
        "kSt",
        "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting \
         month-sort human-numeric-sort numeric-sort random-sort reverse sort= version-sort check key= \
         merge stable buffer-size= field-separator= unique zero-terminated parallel= debug",
    ),
    // The operand of `-f` is a file like others; `-R` and what unpacks are left out.
    program(
        "grep",
        First,
        "EFGPivywxcoqshHnbUrlLTaI",
        "ABCefm",
        "extended-regexp fixed-strings basic-regexp perl-regexp regexp= file= ignore-case \
         no-ignore-case word-regexp line-regexp invert-match count color colour files-without-match \
         files-with-matches max-count= only-matching quiet silent no-messages byte-offset \
         with-filename no-filename label= line-number initial-tab null after-context= before-context= \
         context= text binary-files= binary include= exclude= exclude-dir= recursive line-buffered",
    )
    .numbered()
    .any_wildcard(),
    program(
        "rg",
        First,
        "ivwxScFlPnNHIoqUsabp0",
        "ABCeEfgmMrtTjd",
        "line-number no-line-number ignore-case smart-case case-sensitive files-with-matches \
         files-without-match count count-matches word-regexp line-regexp fixed-strings pcre2 \
         only-matching invert-match multiline multiline-dotall no-heading heading with-filename \
         no-filename column no-column json stats text trim vimgrep no-config quiet pretty files null \
         sort= sortr= color= context= after-context= before-context= glob= iglob= type= type-not= \
         type-list max-count= max-columns= max-depth= maxdepth= regexp= file= replace= passthru \
         encoding= engine= threads= no-messages one-file-system glob-case-insensitive max-filesize= \
         path-separator= context-separator= line-buffered block-buffered byte-offset crlf \
         auto-hybrid-regex include-zero version",
    ),
    program("basename", First, "az", "s", "multiple zero suffix=").text(),
    program("dirname", First, "z", "", "zero").text(),
    program(
        "id",
        Second,
        "agGnruzZ",
        "",
        "context group groups name real user zero",
    )
    .at_most(1),
    program(
        "hostname",
        Second,
        "sfdiIAy",
        "",
        "short fqdn long domain ip-address all-ip-addresses all-fqdns",
    )
    .at_most(0),
    program(
        "tr",
        Second,
        "cCdst",
        "",
        "complement delete squeeze-repeats truncate-set1",
    )
    .any_wildcard(),
    program("paste", Second, "sz", "d", "delimiters= serial zero-terminated").any_wildcard(),
    program(
        "comm",
        Second,
        "123z",
        "",
        "check-order nocheck-order output-delimiter= total zero-terminated",
    )
    .any_wildcard(),
    program("rev", Second, "0", "", "zero").any_wildcard(),
    program("tac", Second, "br", "s", "before regex separator=").any_wildcard(),
    program(
        "cmp",
        Second,
        "bls",
        "in",
        "print-bytes ignore-initial= verbose bytes= quiet silent",
    )
    .any_wildcard(),
    program(
        "df",
        Second,
        "ahHiklPT",
        "Btx",
        "all block-size= human-readable si inodes local no-sync output portability total type= \
         print-type exclude-type=",
    )
    .any_wildcard(),
    // `-R` writes, and so does `-o`.
    program(
        "tree",
        Second,
        "adflxqNQpugshDFvtcUrACSnJXi",
        "LPI",
        "filelimit= dirsfirst filesfirst noreport prune du si gitignore matchdirs ignore-case \
         charset= timefmt= inodes device sort=",
    )
    .any_wildcard(),
    // `-z` starts programs, `-C` writes, `-m` and `-f` name files that name more.
    program(
        "file",
        Second,
        "bihkLNr0n",
        "Fe",
        "brief mime mime-type mime-encoding keep-going dereference no-dereference no-pad raw print0 \
         no-buffer extension separator= exclude=",
    )
    .any_wildcard(),
    program(
        "free",
        Second,
        "bkmghwtlv",
        "",
        "bytes kibi mebi gibi human wide total si kilo mega giga",
    )
    .at_most(0),
    program("nproc", Second, "", "", "all ignore=").at_most(0),
    program(
        "realpath",
        Second,
        "eEmLPqsz",
        "",
        "canonicalize canonicalize-existing canonicalize-missing logical physical quiet relative-to= \
         relative-base= strip no-symlinks zero",
    )
    .any_wildcard(),
    program(
        "readlink",
        Second,
        "femnqsvz",
        "",
        "canonicalize canonicalize-existing canonicalize-missing no-newline quiet silent verbose zero",
    )
    .any_wildcard(),
    sums("md5sum"),
    sums("sha1sum"),
    sums("sha256sum"),
    sums("sha512sum"),
    program(
        "od",
        Second,
        "abcdfilosxv",
        "AjNt",
        "address-radix= skip-bytes= read-bytes= format= output-duplicates endian= width",
    )
    .attached("wS")
    .any_wildcard(),
    program(
        "hexdump",
        Second,
        "bcCdovx",
        "ens",
        "one-byte-octal one-byte-char canonical two-bytes-decimal two-bytes-octal no-squeezing \
         two-bytes-hex format= length= skip=",
    )
    .any_wildcard(),
    program(
        "column",
        Second,
        "txneLJ",
        "scoN",
        "table separator= output-separator= table-columns= output-width= fillrows keep-empty-lines \
         json table-right= table-noextreme=",
    )
    .any_wildcard(),
    program("fold", Second, "bs", "w", "bytes spaces width=")
        .numbered()
        .any_wildcard(),
    program("seq", Second, "w", "fs", "equal-width format= separator=")
        .numbered()
        .text(),
];

/// Programs that answer `--version` by themselves: no shims, which would first look for another program to ask.
pub(super) const VERSIONS: &[&str] = &[
    "awk", "bash", "bison", "bun", "cargo", "cc", "clang", "clang++", "cmake", "ctest", "curl", "deno",
    "diff", "docker", "flex", "g++", "gawk", "gcc", "gdb", "gh", "git", "grep", "gzip", "java", "jq", "ld",
    "less", "make", "meson", "ninja", "node", "npm", "npx", "openssl", "perl", "php", "pnpm", "psql",
    "python", "python3", "rg", "rsync", "ruby", "rustc", "rustdoc", "rustfmt", "sed", "sqlite3", "tar",
    "tmux", "uv", "wget", "xz", "yarn", "zsh", "zstd",
];

/// Other words by which such programs show their version. The `go` of a module may be told to start another one, which
/// a call confined to reading cannot.
pub(super) const SHORT_VERSIONS: &[(&str, &str)] = &[
    ("bun", "-v"),
    ("cargo", "-V"),
    ("curl", "-V"),
    ("deno", "-V"),
    ("docker", "-v"),
    ("git", "-v"),
    ("go", "version"),
    ("java", "-version"),
    ("make", "-v"),
    ("node", "-v"),
    ("npm", "-v"),
    ("perl", "-v"),
    ("php", "-v"),
    ("pnpm", "-v"),
    ("psql", "-V"),
    ("python", "-V"),
    ("python3", "-V"),
    ("rg", "-V"),
    ("ruby", "-v"),
    ("rustc", "-V"),
    ("tmux", "-V"),
    ("uv", "-V"),
    ("wget", "-V"),
    ("yarn", "-v"),
];
