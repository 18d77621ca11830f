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

const fn program(name: &'static str, list: List, table: Table) -> Program {
    Program {
        name,
        list,
        table,
        words_are_text: false,
        any_wildcard: false,
    }
}

const fn text(program: Program) -> Program {
    Program {
        words_are_text: true,
        any_wildcard: true,
        ..program
    }
}

const fn free(program: Program) -> Program {
    Program {
        any_wildcard: true,
        ..program
    }
}

const fn flags(flags: &'static str, valued: &'static str, long: &'static str) -> Table {
    Table {
        flags,
        valued,
        long,
        ..Table::NONE
    }
}

const fn numbered(table: Table) -> Table {
    Table {
        numbers: true,
        ..table
    }
}

const fn at_most(count: usize, table: Table) -> Table {
    Table {
        operands: Operands::AtMost(count),
        ..table
    }
}

const fn attached(letters: &'static str, table: Table) -> Table {
    Table {
        attached: letters,
        ..table
    }
}

use List::{First, Second};

const SUMS: Table = flags("btz", "", "binary text zero tag");

pub(super) const PROGRAMS: &[Program] = &[
    text(program("true", First, Table::NONE)),
    text(program("false", First, Table::NONE)),
    program("pwd", First, at_most(0, flags("LP", "", "logical physical"))),
    free(program(
        "ls",
        First,
        flags(
            "aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1",
            "ITw",
            "all almost-all author escape block-size= ignore-backups color colour directory dereference classify \
             file-type format= full-time no-group group-directories-first human-readable si \
             dereference-command-line dereference-command-line-symlink-to-dir hide= hyperlink indicator-style= \
             inode ignore= kibibytes numeric-uid-gid literal hide-control-chars show-control-chars quote-name \
             quoting-style= reverse recursive size sort= time= time-style= tabsize= width= context zero help version",
        ),
    )),
    free(program(
        "cat",
        First,
        flags(
            "AbeEnstTuv",
            "",
            "show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting",
        ),
    )),
    free(program(
        "head",
        First,
        numbered(flags(
            "qvz",
            "cn",
            "bytes= lines= quiet silent verbose zero-terminated",
        )),
    )),
    program(
        "tail",
        First,
        numbered(flags(
            "qvz",
            "cn",
            "bytes= lines= quiet silent verbose zero-terminated",
        )),
    ),
    free(program(
        "wc",
        First,
        flags("clmLw", "", "bytes chars lines max-line-length words total="),
    )),
    free(program("which", First, flags("as", "", ""))),
    program("whoami", First, at_most(0, Table::NONE)),
    program(
        "uname",
        First,
        at_most(
            0,
            flags(
                "asnrvmpio",
                "",
                "all kernel-name nodename kernel-release kernel-version machine processor hardware-platform \
                 operating-system",
            ),
        ),
    ),
    free(program(
        "cut",
        First,
        flags(
            "nsz",
            "bcdf",
            "bytes= characters= delimiter= fields= output-delimiter= complement only-delimited zero-terminated",
        ),
    )),
    // `-l` starts another program.
    free(program(
        "diff",
        First,
        numbered(flags(
            "qsucenyptTNrPaiEZbwBdH",
            "CUWxFI",
            "brief report-identical-files context unified ed normal rcs side-by-side width= left-column \
             suppress-common-lines show-c-function show-function-line= label= expand-tabs initial-tab tabsize= \
             suppress-blank-empty recursive no-dereference new-file unidirectional-new-file ignore-file-name-case \
             exclude= ignore-case ignore-tab-expansion ignore-trailing-space ignore-space-change ignore-all-space \
             ignore-blank-lines ignore-matching-lines= text strip-trailing-cr minimal speed-large-files color palette=",
        )),
    )),
    free(program(
        "stat",
        First,
        flags(
            "Lft",
            "c",
            "dereference file-system cached= format= printf= terse",
        ),
    )),
    free(program(
        "du",
        First,
        flags(
            "0abcDhHklLmPsSx",
            "Bdt",
            "null all apparent-size bytes total dereference-args human-readable inodes dereference \
             no-dereference separate-dirs si summarize one-file-system block-size= max-depth= threshold= exclude= \
             time time-style=",
        ),
    )),
    free(program(
        "nl",
        First,
        flags(
            "p",
            "bdfhilnsvw",
            "body-numbering= section-delimiter= footer-numbering= header-numbering= line-increment= \
             join-blank-lines= number-format= no-renumber number-separator= starting-line-number= number-width=",
        ),
    )),
    program(
        "uniq",
        First,
        at_most(
            1,
            flags(
                "cdDiuz",
                "fsw",
                "count repeated all-repeated unique ignore-case zero-terminated skip-fields= skip-chars= \
                 check-chars= group",
            ),
        ),
    ),
    program(
        "sort",
        First,
        flags(
            "bdfgihMnrRVcCmsuz",
            "kSt",
            "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting month-sort \
             human-numeric-sort numeric-sort random-sort reverse sort= version-sort check key= merge stable \
             buffer-size= field-separator= unique zero-terminated parallel= debug",
        ),
    ),
    // The operand of `-f` is a file like others; `-R` and what unpacks are left out.
    free(program(
        "grep",
        First,
        numbered(flags(
            "EFGPivywxcoqshHnbUrlLTaI",
            "ABCefm",
            "extended-regexp fixed-strings basic-regexp perl-regexp regexp= file= ignore-case no-ignore-case \
             word-regexp line-regexp invert-match count color colour files-without-match files-with-matches \
             max-count= only-matching quiet silent no-messages byte-offset with-filename no-filename label= \
             line-number initial-tab null after-context= before-context= context= text binary-files= binary \
             include= exclude= exclude-dir= recursive line-buffered",
        )),
    )),
    program(
        "rg",
        First,
        flags(
            "ivwxScFlPnNHIoqUsabp0",
            "ABCeEfgmMrtTjd",
            "line-number no-line-number ignore-case smart-case case-sensitive files-with-matches \
             files-without-match count count-matches word-regexp line-regexp fixed-strings pcre2 only-matching \
             invert-match multiline multiline-dotall no-heading heading with-filename no-filename column \
             no-column json stats text trim vimgrep no-config quiet pretty files null sort= sortr= color= \
             context= after-context= before-context= glob= iglob= type= type-not= type-list max-count= max-columns= \
             max-depth= maxdepth= regexp= file= replace= passthru encoding= engine= threads= no-messages \
             one-file-system glob-case-insensitive max-filesize= path-separator= context-separator= \
             line-buffered block-buffered byte-offset crlf auto-hybrid-regex include-zero version",
        ),
    ),
    text(program(
        "basename",
        First,
        flags("az", "s", "multiple zero suffix="),
    )),
    text(program("dirname", First, flags("z", "", "zero"))),
    program(
        "id",
        Second,
        at_most(
            1,
            flags("agGnruzZ", "", "context group groups name real user zero"),
        ),
    ),
    program(
        "hostname",
        Second,
        at_most(
            0,
            flags(
                "sfdiIAy",
                "",
                "short fqdn long domain ip-address all-ip-addresses all-fqdns",
            ),
        ),
    ),
    free(program(
        "tr",
        Second,
        flags("cCdst", "", "complement delete squeeze-repeats truncate-set1"),
    )),
    free(program(
        "paste",
        Second,
        flags("sz", "d", "delimiters= serial zero-terminated"),
    )),
    free(program(
        "comm",
        Second,
        flags(
            "123z",
            "",
            "check-order nocheck-order output-delimiter= total zero-terminated",
        ),
    )),
    free(program("rev", Second, flags("0", "", "zero"))),
    free(program(
        "cmp",
        Second,
        flags(
            "bls",
            "in",
            "print-bytes ignore-initial= verbose bytes= quiet silent",
        ),
    )),
    free(program(
        "df",
        Second,
        flags(
            "ahHiklPT",
            "Btx",
            "all block-size= human-readable si inodes local no-sync output portability total type= print-type \
             exclude-type=",
        ),
    )),
    // `-R` writes, and so does `-o`.
    free(program(
        "tree",
        Second,
        flags(
            "adflxqNQpugshDFvtcUrACSnJXi",
            "LPI",
            "filelimit= dirsfirst filesfirst noreport prune du si gitignore matchdirs ignore-case charset= \
             timefmt= inodes device sort=",
        ),
    )),
    // `-z` starts programs, `-C` writes, `-m` and `-f` name files that name more.
    free(program(
        "file",
        Second,
        flags(
            "bihkLNr0n",
            "Fe",
            "brief mime mime-type mime-encoding keep-going dereference no-dereference no-pad raw print0 no-buffer \
             extension separator= exclude=",
        ),
    )),
    program(
        "free",
        Second,
        at_most(
            0,
            flags(
                "bkmghwtlv",
                "",
                "bytes kibi mebi gibi human wide total si kilo mega giga",
            ),
        ),
    ),
    program("nproc", Second, at_most(0, flags("", "", "all ignore="))),
    free(program(
        "realpath",
        Second,
        flags(
            "eEmLPqsz",
            "",
            "canonicalize canonicalize-existing canonicalize-missing logical physical quiet relative-to= \
             relative-base= strip no-symlinks zero",
        ),
    )),
    free(program(
        "readlink",
        Second,
        flags(
            "femnqsvz",
            "",
            "canonicalize canonicalize-existing canonicalize-missing no-newline quiet silent verbose zero",
        ),
    )),
    free(program("md5sum", Second, SUMS)),
    free(program("sha1sum", Second, SUMS)),
    free(program("sha256sum", Second, SUMS)),
    free(program("sha512sum", Second, SUMS)),
    free(program(
        "od",
        Second,
        attached(
            "wS",
            flags(
                "abcdfilosxv",
                "AjNt",
                "address-radix= skip-bytes= read-bytes= format= output-duplicates endian= width",
            ),
        ),
    )),
    free(program(
        "hexdump",
        Second,
        flags(
            "bcCdovx",
            "ens",
            "one-byte-octal one-byte-char canonical two-bytes-decimal two-bytes-octal no-squeezing two-bytes-hex \
             format= length= skip=",
        ),
    )),
    free(program(
        "column",
        Second,
        flags(
            "txneLJ",
            "scoN",
            "table separator= output-separator= table-columns= output-width= fillrows keep-empty-lines json \
             table-right= table-noextreme=",
        ),
    )),
    free(program(
        "fold",
        Second,
        numbered(flags("bs", "w", "bytes spaces width=")),
    )),
    text(program(
        "seq",
        Second,
        numbered(flags("w", "fs", "equal-width format= separator=")),
    )),
];

/// Programs that answer `--version` by themselves: no shims, which would first look for another program to ask.
pub(super) const VERSIONS: &[&str] = &[
    "awk", "bash", "bison", "cc", "clang", "clang++", "cmake", "ctest", "curl", "diff", "docker", "flex",
    "g++", "gawk", "gcc", "gdb", "git", "grep", "gzip", "jq", "ld", "less", "make", "meson", "ninja", "node",
    "openssl", "perl", "php", "psql", "python", "python3", "rg", "rsync", "ruby", "sed", "sqlite3", "tar",
    "tmux", "wget", "xz", "zsh", "zstd",
];
