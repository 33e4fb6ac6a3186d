#!/usr/bin/env node
import { runCli } from './run-cli.js'

// Only the owner may read the files that this process creates. Libraries create files too and set no modes.
process.umask(0o077)
process.exitCode = await runCli(process.argv.slice(2))
