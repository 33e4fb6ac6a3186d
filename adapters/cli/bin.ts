#!/usr/bin/env node
import { runCli } from './run-cli.js'

// Every file that this process makes is for its owner alone: those of libraries too, which know no modes.
process.umask(0o077)
process.exitCode = await runCli(process.argv.slice(2))
