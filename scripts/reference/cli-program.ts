/** The command line as commander knows it: types of the source, code of `dist`, where the package's version is found. */
type CliProgram = typeof import('../../adapters/cli/program.js')

const built: string = '../../dist/adapters/cli/program.js'
const program = (await import(built)) as CliProgram

export const buildProgram: CliProgram['buildProgram'] = program.buildProgram
