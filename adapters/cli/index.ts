/** The command line as a function, for hosts that bring it into their own. */
export { runCli } from './run-cli.js'
