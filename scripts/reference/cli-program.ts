/** The command line as commander knows it: the one place that looks behind the entry of the command line. */
export { buildProgram } from '../../dist/adapters/cli/program.js'
