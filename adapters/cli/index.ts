/** The command line as a function; the package exports only its binary. */
export { runCli } from './run-cli.js'
