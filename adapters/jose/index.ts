/** Access tokens as JSON Web Tokens, signed by keys in a file. */
export { JoseTokenSigner, type JoseTokenSignerOptions } from './jose-token-signer.js'
