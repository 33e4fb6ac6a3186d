/** The commonest passwords, from a list that comes with a package. */
export { ListedCommonPasswords } from './listed-common-passwords.js'
