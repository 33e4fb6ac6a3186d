/** CommonPasswords from the list of a package. */
export { ListedCommonPasswords } from './listed-common-passwords.js'
