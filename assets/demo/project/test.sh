#!/bin/sh
# Compares what slug.sh prints with what it should print.

cd "$(dirname "$0")" || exit 1
failed=0

check() {
  got=$(printf '%s\n' "$1" | sh slug.sh)
  if [ "$got" = "$2" ]; then
    echo "ok    $1"
  else
    echo "FAIL  $1"
    echo "      expected: $2"
    echo "      got:      $got"
    failed=$((failed + 1))
  fi
}

check 'Hello'                'hello'
check 'Release 2'            'release-2'
check 'Hello, World'         'hello-world'
check 'Salt & Pepper'        'salt-pepper'
check '(in brackets)'        'in-brackets'

if [ "$failed" -eq 0 ]; then
  echo 'all passed'
else
  echo "$failed failed"
  exit 1
fi
