/** FileStore on a folder. */
export { FolderFileStore } from './folder-file-store.js'
