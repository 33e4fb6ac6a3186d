/** FileStore on a folder. */
export { FolderFileStore } from './folder-file-store.js'
export { syncFolder } from './sync-folder.js'
