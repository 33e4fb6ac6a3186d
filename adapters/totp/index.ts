/** One-time passwords of authenticator apps. */
export { TotpOneTimePasswords } from './totp-one-time-passwords.js'
