/** Passwords hashed with argon2id. */
export { Argon2PasswordHasher } from './argon2-password-hasher.js'
