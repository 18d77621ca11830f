#!/bin/sh
# Reads titles, one a line, and prints a slug for each: lower case, words joined by dashes.

tr '[:upper:]' '[:lower:]' |
  tr -c '[:alnum:]\n' '-' |
  sed 's/^-//; s/-$//'
