export interface paths {
    "/connect/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Exchange an API key for an access token */
        post: operations["issueToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/connect/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Revoke an access token of the client */
        post: operations["revokeToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/connect/introspect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Get the state of an access token, for resource servers */
        post: operations["introspectToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/connect/authorize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Refuse a login in a browser: clients have API keys */
        get: operations["authorize"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the public keys that verify access tokens */
        get: operations["getKeySet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/oauth-authorization-server": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the metadata that tells clients how to get access tokens */
        get: operations["getServerMetadata"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the login of the caller, with the accounts on which it may act */
        get: operations["getLogin"];
        put?: never;
        /**
         * Log a page in with a password or an API key, and set a cookie
         * @description The cookie is `HttpOnly` and `SameSite=Strict`. A login lasts at most 12 hours. It ends when the user logs out, gets another password or is disabled, and when the API key is revoked. The header `x-alcove-account` of later requests chooses an account. Only pages of this server may log in.
         */
        post: operations["logIn"];
        /** End the login of the page */
        delete: operations["logOut"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Mail a link for a new password, if the address is known */
        post: operations["requestPasswordReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a plain form for a new password; mails link to it */
        get: operations["showSetupForm"];
        put?: never;
        /** Complete an invitation or a reset */
        post: operations["setPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/context/relevant-docs/{contextId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Find the chunks that answer a prompt, by words and meaning
         * @description `mode` selects how to find chunks: by words and meaning together (`hybrid`), by meaning alone (`semantic`) or by words alone (`keyword`). `topN` limits the number of results, and `scoreThreshold` their similarity. Default of each: the setting of the context. Results have the members `id`, `docId`, `content` and `similarity`. `include` adds `score`, `source` and `match`.
         */
        post: operations["searchContext"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/context/relevant-docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Find the chunks of several contexts that answer a prompt
         * @description Takes 1 to 100 `contextIds`. The other members are those of the search of one context, and the settings of each context apply where they are missing. `topN` limits the results of all contexts together; default: the largest `topN` of the contexts. Contexts with the same model and mode give the results of one context with all their documents. Contexts with different models or modes take turns.
         */
        post: operations["searchContexts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/context/explain/{contextId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Explain what a search finds, or why it finds nothing
         * @description Takes the body of a search of one context, without `include`. Costs about as much as two searches. The first of `reasons` is the likeliest cause of an empty or short answer. Needs the capability `context:read` too.
         */
        post: operations["explainSearch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/context/prepare/{contextId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a prompt for a model: instructions, passages for a question, and the question
         * @description Searches for the `question`, or for `prompt` if it is there, and answers with `messages` and `tools` that an API with OpenAI's protocol takes as they are, and with the `sources` to cite. Messages and tools have at most `maxTokens` tokens together, by an estimate that is seldom too low; default: 8,000. If not everything fits, the oldest messages of the `history` and the last passages are left out, never the question. `mode`, `topN`, `scoreThreshold` and `filter` are those of a search. The call changes nothing.
         */
        post: operations["preparePrompt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/context": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the account's contexts */
        get: operations["listContexts"];
        put?: never;
        /** Create a context */
        post: operations["createContext"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/context/{contextId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a context */
        get: operations["getContext"];
        /** Update a context */
        put: operations["updateContext"];
        post?: never;
        /** Delete a context with its documents */
        delete: operations["deleteContext"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/context/share/{contextId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Share a context or make it private */
        put: operations["shareContext"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/context/settings/{contextId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get all settings of a context, and the progress of its re-index */
        get: operations["getContextSettings"];
        /**
         * Change settings of a context
         * @description A setting that is left out stays as it is. Another `embeddingModel`, `chunkSizeTokens` or `overlap` starts a re-index: `reindexing` shows its progress. Searches, uploads and changes of documents go on with the present settings. The new ones apply to all documents at once, when all are re-indexed. `reindexing: null` or the present settings cancel a re-index, other ones replace it, and the same ones try again what failed. So send only the settings that change. `maxSizeBytes` can be at most 104,857,600 or its present value: the host alone gives more.
         */
        put: operations["updateContextSettings"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/context/documents/{contextId}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow the states and the progress of the documents of a context
         * @description Server-sent events. An event `document` has a state as its data: first those of all documents, then an event `ready` with `{}`, then a `document` for each change. A client that connects again gets all states again, so events have no ids. A slow client gets only the last state of each document. `docId` selects one document, and `snapshot=unfinished` leaves out documents at the beginning that are completed, or have failed. A stream with a `docId` ends with the deletion of its document. A comment comes every 15 seconds. The stream also ends when the token expires or loses its rights: the last event is `end`, with a problem document as its data.
         */
        get: operations["watchDocuments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/context/upload/{contextId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Upload a document */
        post: operations["uploadDocument"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/context/upload/{contextId}/{docId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Replace a document by a new version
         * @description The document keeps its id, and takes the name of the file. Searches, lists and `getDocument` show the old version until the new one is processed, then the new one alone. Until then, `replacement` of the document shows the progress, or the reason of a failure. The same bytes under the same name change nothing.
         */
        put: operations["replaceDocument"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/context/documents/{contextId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the documents of a context */
        get: operations["listDocuments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/context/documents/{contextId}/{docId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a document with its ingestion receipt */
        get: operations["getDocument"];
        put?: never;
        post?: never;
        /** Delete a document */
        delete: operations["deleteDocument"];
        options?: never;
        head?: never;
        /**
         * Change the name and the metadata of a document
         * @description `metadata` is merged into the metadata of the document: null removes a key, and the other keys stay (RFC 7396). Null instead of the object removes all keys. `displayName` null restores the name that is made from the file name.
         */
        patch: operations["updateDocument"];
        trace?: never;
    };
    "/context/documents/{contextId}/{docId}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a document as it was received
         * @description The bytes of the upload, as an attachment with the name of the document. The content type is always `application/octet-stream`, so that no browser shows the file; `contentType` of the document names its format.
         */
        get: operations["getDocumentContent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/context/documents/{contextId}/{docId}/text": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the text of a document, or a part of it
         * @description The text that was extracted, from `start` to before `end`: offsets in UTF-16 units, as those of `source` of a hit. Default: the whole text. The header `Text-Length` has the length of the whole text. 409 `ERR_NOT_READY` while the document is being processed, 409 `ERR_DOCUMENT_FAILED` if it has failed, and 400 if the part is not within the text.
         */
        get: operations["getDocumentText"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/context/documents/{contextId}/{docId}/chunks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the chunks of a document
         * @description Chunks in their order, none before the document is completed. `limit` is 20 by default. `after` is the ordinal of the last chunk of the previous page.
         */
        get: operations["listDocumentChunks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tenant/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the users of the token's company */
        get: operations["listUsers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tenant/users/{cid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the users of a company */
        get: operations["listUsersOfCompany"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tenant/user": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Find a user of a company by its address, or by the id that the host gave it */
        get: operations["findUser"];
        put?: never;
        /** Add a user and send an invitation by mail, unless `invite` is false */
        post: operations["addUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tenant/user/init": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send the invitation a second time */
        post: operations["reinitiateUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tenant/user/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a user */
        get: operations["getUser"];
        put?: never;
        post?: never;
        /** Delete a user with all permissions, API keys and links; contexts stay */
        delete: operations["deleteUser"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/context/owner/{contextId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Give a context to another user
         * @description The user needs a role on the account that may read contexts. A private context is visible to that user alone from then on, and to tokens that see the whole account.
         */
        put: operations["handOverContext"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tenant/user/{id}/hand-over": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give the contexts of a disabled or deleted user to another user
         * @description Gives the contexts on all accounts that the caller manages, or on one of them. Either all of these contexts get the new user, or none.
         */
        post: operations["handOverContextsOfUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/permission/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the choices for a new permission, step by step */
        get: operations["permissionOptions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/permission/options/{type}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the choices for a new permission, step by step */
        get: operations["permissionOptionsByType"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/permission/options/{type}/{region}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the choices for a new permission, step by step */
        get: operations["permissionOptionsByRegion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/permission/options/{type}/{region}/{account}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the choices for a new permission, step by step */
        get: operations["permissionOptionsByAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/permission": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Give a permission another role */
        put: operations["updatePermission"];
        /** Give a user a role on an account */
        post: operations["createPermission"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/permission/{permId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete a permission */
        delete: operations["deletePermission"];
        options?: never;
        head?: never;
        /** Disable a permission, or enable a disabled one */
        patch: operations["togglePermission"];
        trace?: never;
    };
    "/tenant/companies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the token's company and the companies below it */
        get: operations["listCompanies"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tenant/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the system-wide roles, and those of the token's company and the companies below it */
        get: operations["listRoles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tenant/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the API keys of the token's company and the companies below it */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create an API key; its secret is in this answer only
         * @description The key acts for the user `userId`, or without one for a new service user with the role Administrator. It gives no right that the caller does not have, no context of another person, and no application that is not one of the caller's own API key: otherwise the answer is 403. `sight` is `user` for a key with a `userId` unless you say otherwise, and the caller's own sight for a service user.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tenant/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke an API key and its access tokens at once */
        delete: operations["revokeApiKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tenant/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the audit trail of the token's company and the companies below it */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tenant/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get what the token's company uses, beside the limits
         * @description The companies below it do not count. `cid` selects one of them instead.
         */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the state of the process that answers, and of its data
         * @description For managers of the root company. The queues and the data are those of all companies.
         */
        get: operations["getInstallationState"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run the doctor without repairs
         * @description For managers of the root company. A run reads every file and may take minutes; `verification` of `GET /operator/state` shows its progress. Until the report comes, the body of the answer has a line end every 15 seconds, which JSON allows before a value. The run ends if the client leaves or loses its rights; the body then breaks off. It changes nothing.
         */
        post: operations["verifyInstallation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/outbound-webhooks/catalog": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the event types */
        get: operations["listEventTypes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/outbound-webhooks/destinations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the destinations of a company; default: the token's company */
        get: operations["listDestinations"];
        put?: never;
        /** Add a destination */
        post: operations["createDestination"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/outbound-webhooks/destinations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a destination */
        get: operations["getDestination"];
        /** Update a destination; its secret and its company do not change */
        put: operations["updateDestination"];
        post?: never;
        /** Delete a destination and cancel its pending deliveries */
        delete: operations["deleteDestination"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/outbound-webhooks/destinations/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the signing secret of a destination
         * @description With the schemes `standard` and `both`, requests have a signature by the old secret too, for `overlapHours`.
         */
        post: operations["rotateDestinationSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/outbound-webhooks/destinations/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a test event (run.started, of no run) to one destination */
        post: operations["testDestination"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/outbound-webhooks/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the deliveries of the token's company and the companies below it */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/outbound-webhooks/deliveries/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a delivery with its attempts */
        get: operations["getDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/outbound-webhooks/deliveries/{id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send the same bytes to the same destination as a new delivery */
        post: operations["resendDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the state of the service and of each port */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the state of the service and of each port */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get this description */
        get: operations["getDescription"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show this description as a page */
        get: operations["showDescription"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Token: {
            access_token: string;
            /** @constant */
            token_type: "Bearer";
            /** @constant */
            expires_in: 900;
            scope?: string;
        };
        TokenProblem: {
            type: string;
            title: string;
            status: number;
            detail: string;
            /** @description Stable: programs may depend on it */
            code: string;
            error: string;
            error_description: string;
        };
        Problem: {
            type: string;
            title: string;
            status: number;
            detail: string;
            /** @description Stable: programs may depend on it */
            code: string;
        };
        Introspection: {
            /** @constant */
            active: false;
        } | {
            /** @constant */
            active: true;
            client_id: string;
            sub: string;
            aud: string;
            iss: string;
            exp: number;
            iat: number;
            jti: string;
            /** @constant */
            token_type: "Bearer";
            scope: string;
            target_app: string;
            account_id: number;
            company_id: number;
        };
        KeySet: {
            keys: components["schemas"]["PublicKey"][];
        };
        PublicKey: {
            kty: string;
            crv: string;
            x: string;
            y?: string;
            kid: string;
            alg: string;
            /** @constant */
            use: "sig";
        };
        ServerMetadata: {
            issuer: string;
            authorization_endpoint: string;
            token_endpoint: string;
            token_endpoint_auth_methods_supported: string[];
            jwks_uri: string;
            revocation_endpoint: string;
            revocation_endpoint_auth_methods_supported: string[];
            introspection_endpoint: string;
            introspection_endpoint_auth_methods_supported: string[];
            grant_types_supported: string[];
            response_types_supported: string[];
            scopes_supported: string[];
            service_documentation: string;
        };
        Login: {
            /** @enum {string} */
            kind: "password" | "key" | "host";
            /** @enum {string} */
            sight: "user" | "account";
            user: {
                id: number;
                name: string;
                email: string;
                customerId: number;
            };
            clientId: string | null;
            expires: string | null;
            accounts: {
                id: number;
                name: string;
                application: string;
                customerId: number;
                customerName: string;
                role: {
                    id: number;
                    name: string;
                };
                capabilities: string[];
            }[];
        };
        SearchResult: {
            id: number;
            docId: number;
            content: string;
            /** @description Cosine similarity of prompt and chunk, in every search mode */
            similarity: number;
            /** @description Orders the results of one search. Only if `include` lists it */
            score?: number;
            source?: components["schemas"]["SearchResultSource"];
            /** @description The part of `content` that matched best, in UTF-16 units. Only if `include` lists it */
            match?: {
                start: number;
                end: number;
            };
        };
        SearchResultSource: {
            /**
             * Format: uuid
             * @description The document's `fileName`
             */
            uuid: string;
            originalName: string;
            displayName: string;
            /** @description Offset of the chunk in the document's text, in UTF-16 units */
            start: number;
            end: number;
            /** @description The pages, sheets or slides that the chunk touches; null if the format has none */
            pages: {
                first: number;
                last: number;
            } | null;
            /** @description The headings above the beginning of the chunk, the outermost first */
            headings: string[];
            /** @description The metadata of the document */
            metadata: {
                [key: string]: string | number | boolean | string[];
            };
            /** @description The indexes that found the chunk */
            foundBy: ("words" | "meaning")[];
        };
        ContextSearchResult: {
            id: number;
            docId: number;
            content: string;
            /** @description Cosine similarity of prompt and chunk, in every search mode */
            similarity: number;
            /** @description Orders the results of one search. Only if `include` lists it */
            score?: number;
            source?: components["schemas"]["SearchResultSource"];
            /** @description The part of `content` that matched best, in UTF-16 units. Only if `include` lists it */
            match?: {
                start: number;
                end: number;
            };
            contextId: number;
        };
        SearchExplanation: {
            contextId: number;
            /** @enum {string} */
            mode: "hybrid" | "semantic" | "keyword";
            topN: number;
            scoreThreshold: number;
            model: {
                id: string;
                /** @description How much of the prompt its vocabulary knows */
                knowledge: number | null;
            };
            documents: {
                total: number;
                /** @description Completed documents */
                searchable: number;
                /** @description Documents that the engine still processes */
                waiting: number;
                /** @description Waiting documents that words find already */
                foundByWordsOnly: number;
                failed: number;
                /** @description Completed documents whose words the engine still indexes */
                withoutWords: number;
                /** @description Documents that the filter left; null without a filter */
                filtered: number | null;
            };
            /** @description Also if it is below `scoreThreshold` */
            bestSimilarity: number | null;
            words: {
                /** @description The word as the prompt has it */
                word: string;
                /** @description The form that the word index compares */
                term: string;
                /** @description True for a word such as "how", which counts little */
                isQuestionWord: boolean;
                /** @description Documents that words may find now and that have the word */
                documents: number;
                chunks: number;
            }[];
            hits: {
                id: number;
                docId: number;
                similarity: number;
                score: number;
                match: {
                    start: number;
                    end: number;
                };
                source: components["schemas"]["SearchResultSource"];
                /** @description The part of the chunk that matched */
                passage: string;
                words: {
                    /** @description Null beyond the first 200 chunks */
                    rank: number | null;
                    score: number;
                };
                meaning: {
                    /** @description Null beyond the nearest 200 windows */
                    rank: number | null;
                    similarity: number;
                };
            }[];
            /** @description Causes of an empty or short answer, the likeliest first */
            reasons: {
                /** @enum {string} */
                code: "model-unavailable" | "other-context" | "no-documents" | "filter-excludes-all" | "all-failed" | "early-finding-off" | "words-only-yet" | "still-processing" | "vectors-missing" | "words-not-indexed" | "prompt-without-words" | "only-question-words" | "words-not-found" | "language-unknown" | "threshold-too-high";
                message: string;
            }[];
        };
        ChatPrompt: {
            /** @description The instructions as `system`, the history, and the question as `user`, after its passages */
            messages: components["schemas"]["ChatMessage"][];
            /** @description The passages, in the order of their numbers */
            sources: components["schemas"]["ChatSource"][];
            /** @description The context's tools; empty if there are none */
            tools: components["schemas"]["ChatTool"][];
            /** @description Estimated tokens of messages and tools together */
            tokens: number;
            /** @description Found chunks, and messages of the history, for which there was no room */
            omitted: {
                chunks: number;
                messages: number;
            };
        };
        ChatMessage: {
            /** @enum {string} */
            role: "system" | "user" | "assistant";
            content: string;
        };
        ChatSource: {
            /** @description The number by which an answer cites the passage */
            number: number;
            docId: number;
            /**
             * Format: uuid
             * @description The document's `fileName`
             */
            uuid: string;
            originalName: string;
            displayName: string;
            /** @description Offset of `content` in the document's text, in UTF-16 units */
            start: number;
            end: number;
            /** @description The pages, sheets or slides that the chunk touches; null if the format has none */
            pages: {
                first: number;
                last: number;
            } | null;
            /** @description The headings above the beginning of the chunk, the outermost first */
            headings: string[];
            /** @description The metadata of the document */
            metadata: {
                [key: string]: string | number | boolean | string[];
            };
            /** @description The quoted text: one chunk, or chunks that overlap or touch */
            content: string;
            /** @description The part of `content` that matched best, in UTF-16 units */
            match: {
                start: number;
                end: number;
            };
            similarity: number;
            score: number;
        };
        ChatTool: {
            /** @constant */
            type: "function";
            function: {
                name: string;
                description: string;
                /** @description JSON Schema of the arguments */
                parameters: {
                    /** @constant */
                    type: "object";
                    properties: {
                        [key: string]: {
                            /** @enum {string} */
                            type: "string" | "integer" | "boolean";
                            description: string;
                        };
                    };
                    required: string[];
                    /** @constant */
                    additionalProperties: false;
                };
            };
        };
        Context: {
            id: number;
            name: string;
            /** @description System instructions that define its behavior */
            description: string;
            caption: string;
            userId: number;
            embeddingModel: string;
            /** @description The most bytes of all documents together */
            maxSize: number;
            topN: number;
            scoreThreshold: number;
            /** @description The most tokens of a chunk */
            chunkSize: number;
            overlap: number;
            /** @description The tools: a JSON array of tool definitions as a string, as it was given; `[]` for none */
            toolsJson: string;
            starterPrompts: string[];
            /** @enum {number} */
            shareState: 0 | 1;
            /** @description Null: no answer has a deleted context */
            deleted: string | null;
            /** Format: date-time */
            created: string;
        };
        Empty: Record<string, never>;
        ContextSettings: {
            embeddingModel: string;
            /** @description The most tokens of a chunk */
            chunkSizeTokens: number;
            /** @description Fraction of a chunk that the next chunk repeats */
            overlap: number;
            /** @description The most bytes of all documents together */
            maxSizeBytes: number;
            topN: number;
            scoreThreshold: number;
            /** @enum {string} */
            searchMode: "hybrid" | "semantic" | "keyword";
            findsEarly: boolean;
            /** @description The re-index in progress with its new settings; null if there is none */
            reindexing: components["schemas"]["ContextReindexing"] | null;
        };
        ContextReindexing: {
            embeddingModel: string;
            /** @description The most tokens of a chunk */
            chunkSizeTokens: number;
            /** @description Fraction of a chunk that the next chunk repeats */
            overlap: number;
            documentsDone: number;
            documentsTotal: number;
            /** @description Null, or the reason why the re-index has stopped: one sentence that ends with the error code */
            error: string | null;
            /** @description Null, or one sentence that ends with the error code: the re-index waits, because the server of the new model is away, or a disk is full or read-only */
            waiting: string | null;
        };
        DocumentState: {
            contextId: number;
            id: number;
            /**
             * Format: uuid
             * @description UUID of the newest version of the document
             */
            uuid: string;
            displayName: string;
            /** @description True if that version is to replace another one */
            isReplacement: boolean;
            /** @enum {string} */
            status: "waiting" | "processing" | "completed" | "failed" | "deleted";
            /** @description Null unless the document is being processed */
            stage: ("reading" | "embedding") | null;
            /** @description Null as long as `windowsTotal` is null; 100 if the document is completed */
            percent: number | null;
            /** @description Windows that have their vectors */
            windowsEmbedded: number;
            /** @description Null until the whole text is read, and for a document that is not being processed */
            windowsTotal: number | null;
            /** @description Null, or one sentence that ends with the error code */
            error: string | null;
            /** @description The code at the end of `error` */
            errorCode: string | null;
            /** @description Null, or one sentence that ends with the error code: the document waits, because the server of the embedding model is away, or a disk is full or read-only */
            waiting: string | null;
        };
        Document: {
            id: number;
            contextId: number;
            /** Format: uuid */
            uuid: string;
            /**
             * Format: uuid
             * @description The same as `uuid`
             */
            fileName: string;
            originalName: string;
            displayName: string;
            nameIndex: number;
            contentType: string;
            contentHash: string;
            size: number;
            chunks: number;
            /** Format: date-time */
            created: string;
            createdBy: number;
            started: string | null;
            completed: string | null;
            /** @description Null, or one sentence that ends with the error code */
            error: string | null;
            metadata: {
                [key: string]: string | number | boolean | string[];
            };
            /** @description A new version that waits, is being processed or has failed; null if there is none */
            replacement: components["schemas"]["DocumentReplacement"] | null;
        };
        DocumentReplacement: {
            /**
             * Format: uuid
             * @description It becomes the document's `uuid` once the replacement is completed
             */
            uuid: string;
            originalName: string;
            contentHash: string;
            size: number;
            /** Format: date-time */
            created: string;
            started: string | null;
            /** @description Null, or one sentence that ends with the error code */
            error: string | null;
        };
        DocumentWithReceipt: {
            id: number;
            contextId: number;
            /** Format: uuid */
            uuid: string;
            /**
             * Format: uuid
             * @description The same as `uuid`
             */
            fileName: string;
            originalName: string;
            displayName: string;
            nameIndex: number;
            contentType: string;
            contentHash: string;
            size: number;
            chunks: number;
            /** Format: date-time */
            created: string;
            createdBy: number;
            started: string | null;
            completed: string | null;
            /** @description Null, or one sentence that ends with the error code */
            error: string | null;
            metadata: {
                [key: string]: string | number | boolean | string[];
            };
            /** @description A new version that waits, is being processed or has failed; null if there is none */
            replacement: components["schemas"]["DocumentReplacement"] | null;
            receipt: components["schemas"]["IngestionReceipt"] | null;
            /** @description Null, or one sentence that ends with the error code: the document waits, because the server of the embedding model is away, or a disk is full or read-only */
            waiting: string | null;
        };
        IngestionReceipt: {
            /** @description Bytes of the file */
            bytes: number;
            /** @description UTF-16 units of extracted text */
            characters: number;
            /** @description Null if the format has no pages */
            pages: number | null;
            /** @description Tokens of the text, by the embedding model's tokenizer */
            tokens: number;
            chunks: number;
            /** @description Parts of chunks that were embedded; together they contain every token */
            windows: number;
            /** @description Windows whose vectors the context already had */
            windowsReused: number;
            embeddingModel: string;
            /** @description Milliseconds of each stage; stages overlap */
            durationsMs: {
                extract: number;
                words: number;
                embed: number;
                index: number;
                total: number;
            };
            /** @description Parts of the file that could not be read, one sentence each */
            warnings: string[];
        };
        DocumentChunk: {
            id: number;
            docId: number;
            /** @description 0 for the first chunk */
            ordinal: number;
            content: string;
            /** @description Offset of the chunk in the document's text, in UTF-16 units */
            start: number;
            end: number;
            tokens: number;
            /** @description The pages, sheets or slides that the chunk touches; null if the format has none */
            pages: {
                first: number;
                last: number;
            } | null;
            /** @description The headings above the beginning of the chunk, the outermost first */
            headings: string[];
        };
        User: {
            id: number;
            firstName: string;
            lastName: string;
            name: string;
            /** @description Empty for a user without an address */
            email: string;
            /** Format: date-time */
            createdAt: string;
            hasPassword: boolean;
            otpMethod: string;
            lastAccess: string | null;
            permissions: components["schemas"]["ListedPermission"][];
        };
        ListedPermission: {
            id: number;
            disabled: boolean;
            /** Format: date-time */
            createdAt: string;
            lastAccess: string | null;
            instanceActive: boolean;
            role: {
                id: number;
                name: string;
            };
            account: {
                id: number;
                name: string;
                customerId: number;
            };
            application: {
                id: number;
                name: string;
                key: string;
            };
            region: {
                id: number;
                name: string;
            };
        };
        UserDetails: {
            id: number;
            firstName: string;
            lastName: string;
            name: string;
            /** @description Empty for a user without an address */
            email: string;
            /** Format: date-time */
            createdAt: string;
            hasPassword: boolean;
            otpMethod: string;
            lastAccess: string | null;
            permissions: components["schemas"]["ListedPermission"][];
            customerId: number;
            /** @description The id that the host's login gives the user */
            externalId: string | null;
            disabled: boolean;
        };
        HandedOver: {
            /** @description The contexts that have the new user now */
            contextIds: number[];
        };
        PermissionOptions: {
            applications: components["schemas"]["OptionItem"][];
            regions: components["schemas"]["OptionItem"][];
            accounts: components["schemas"]["OptionItem"][];
            roles: components["schemas"]["OptionItem"][];
            users: components["schemas"]["OptionItem"][];
        };
        OptionItem: {
            value: number;
            title: string;
            selected: boolean;
        };
        Permission: {
            id: number;
            appAccountId: number;
            userIdentityId: number;
            appRoleId: number;
            lastAccess: string | null;
            disabled: boolean;
            /** Format: date-time */
            createdAt: string;
            /** @description Text of a JSON object with the creator's id and email address */
            createdBy: string;
        };
        Company: {
            id: number;
            name: string;
            /** @description Null for the topmost company that the caller manages */
            parentId: number | null;
            disabled: boolean;
        };
        Role: {
            id: number;
            /** @description The company of the role; null for a system-wide role */
            customerId: number | null;
            name: string;
            /** @description Keys of the applications for which the role is valid */
            applications: string[];
            capabilities: string[];
            /** @description A disabled role gives no access, and nobody can grant it */
            disabled: boolean;
            /** @description True if the caller has all capabilities of the role */
            grantable: boolean;
        };
        ApiKey: {
            id: number;
            clientId: string;
            /** @description The company of the key: it reaches that company and those below it */
            companyId: number;
            /** @description The user for whom the key acts */
            userId: number;
            /** @description The values of `target_app` that the key may ask for */
            targets: string[];
            /**
             * @description The contexts that its tokens see: the user's own and shared ones, or all of the account
             * @enum {string}
             */
            sight: "user" | "account";
            /** Format: date-time */
            created: string;
            expires: string | null;
            /** @description The time of the latest token */
            lastUsed: string | null;
            revoked: string | null;
        };
        ApiKeyWithSecret: {
            id: number;
            clientId: string;
            /** @description The company of the key: it reaches that company and those below it */
            companyId: number;
            /** @description The user for whom the key acts */
            userId: number;
            /** @description The values of `target_app` that the key may ask for */
            targets: string[];
            /**
             * @description The contexts that its tokens see: the user's own and shared ones, or all of the account
             * @enum {string}
             */
            sight: "user" | "account";
            /** Format: date-time */
            created: string;
            expires: string | null;
            /** @description The time of the latest token */
            lastUsed: string | null;
            revoked: string | null;
            /** @description Only this answer has it */
            clientSecret: string;
        };
        AuditPage: {
            items: components["schemas"]["AuditEntry"][];
            /** @description The `cursor` of the next page; null on the last page */
            nextCursor: string | null;
        };
        AuditEntry: {
            id: number;
            /** Format: date-time */
            time: string;
            /** @enum {string} */
            action: "permission.created" | "permission.role-changed" | "permission.suspended" | "permission.resumed" | "permission.revoked" | "permission.toggled" | "user.added" | "user.updated" | "user.reinitiated" | "user.disabled" | "user.enabled" | "user.deleted" | "user.contexts-handed-over" | "password.reset-requested" | "password.set" | "otp.begun" | "otp.enabled" | "otp.disabled" | "otp.recovery-codes-renewed" | "otp.recovery-code-used" | "token.revoked" | "token.refused" | "login.refused" | "api-key.created" | "api-key.revoked" | "company.created" | "company.moved" | "company.disabled" | "company.enabled" | "company.deleted" | "account.created" | "account.enabled" | "account.disabled" | "account.deleted" | "role.created" | "role.disabled" | "role.enabled" | "role.deleted" | "signing-key.rotated" | "context.created" | "context.updated" | "context.shared" | "context.handed-over" | "context.deleted" | "document.uploaded" | "document.updated" | "document.replaced" | "document.retried" | "document.deleted" | "destination.created" | "destination.updated" | "destination.disabled" | "destination.enabled" | "destination.deleted" | "destination.secret-rotated" | "destination.tested" | "delivery.resent";
            /** @enum {string} */
            outcome: "done" | "refused";
            /** @description The company that the entry concerns; null for none or all */
            companyId: number | null;
            actor: {
                /** @enum {string} */
                kind: "user" | "host" | "system" | "anonymous";
                userId: number | null;
            };
            /** @description Client id of the API key, or a name such as `command-line` for another way in */
            clientId: string | null;
            remoteAddress: string | null;
            /** @description The `x-request-id` of the answer */
            requestId: string | null;
            targetType: string;
            targetId: number | null;
            /** @description Ids, and values of fixed sets */
            details: {
                [key: string]: number | boolean | string | null;
            };
        };
        CompanyUsage: {
            companyId: number;
            contexts: components["schemas"]["UsedPart"];
            users: components["schemas"]["UsedPart"];
            /** @description Keys that are neither revoked nor expired */
            apiKeys: components["schemas"]["UsedPart"];
            destinations: components["schemas"]["UsedPart"];
            documents: number;
            /** @description Bytes of the current versions of all documents */
            documentBytes: number;
            /** @description The ten contexts with the most bytes, the largest first */
            largestContexts: {
                id: number;
                accountId: number;
                /** @description The user who created the context */
                userId: number;
                maxSizeBytes: number;
                documents: number;
                sizeBytes: number;
            }[];
        };
        UsedPart: {
            used: number;
            limit: number;
        };
        InstallationState: {
            version: string;
            /** Format: date-time */
            started: string;
            uptimeSeconds: number;
            roles: ("ingest" | "relay")[];
            queues: components["schemas"]["EngineQueue"][];
            pendingDeliveries: number;
            /**
             * @description `kept` if mails stay where the operator finds them, such as in a folder
             * @enum {string}
             */
            mails: "sent" | "kept";
            disk: components["schemas"]["DiskPart"][];
            collections: {
                vectors: number | null;
                words: number | null;
            };
            rows: {
                [key: string]: number;
            };
            models: components["schemas"]["EngineModel"][];
            /** @description The cheap check after the start; null until it is finished */
            startCheck: components["schemas"]["VerifyReport"] | null;
            /** @description The verification that runs in this process; null if none does */
            verification: {
                /** Format: date-time */
                started: string;
                /** @description Documents that are checked */
                documents: number;
            } | null;
        };
        EngineQueue: {
            kind: string;
            /** @description Due, and no worker holds them */
            waiting: number;
            /** @description A worker of any process holds them */
            running: number;
            /** @description Due later: the first run, or another one after a failure */
            delayed: number;
            /** @description Those of all states that have failed before */
            retrying: number;
            /** @description Those of all states that may crash the processes that run them */
            crashing: number;
            oldestWaitingSeconds: number;
            /** @description Jobs that this process runs */
            runningHere: number;
        };
        DiskPart: {
            /** @enum {string} */
            part: "database" | "files" | "vectors" | "words";
            usedBytes: number | null;
            freeBytes: number | null;
        };
        EngineModel: {
            id: string;
            isDefault: boolean;
            /** @enum {string} */
            kind: "local" | "remote";
            dimensions: number;
            /** @description Most tokens of one input */
            windowTokens: number;
            /** @description True if its weights are in memory; null if unknown */
            isLoaded: boolean | null;
            /** @description False while the server of a remote model is away */
            isAvailable: boolean;
        };
        VerifyReport: {
            isHealthy: boolean;
            checked: {
                contexts: number;
                documents: number;
                files: number;
                bytes: number;
                chunks: number;
                windows: number;
                collections: number;
                vectors: number;
                wordCollections: number;
                indexedChunks: number;
                jobs: number;
                models: number;
            };
            problems: components["schemas"]["DoctorProblem"][];
        };
        DoctorProblem: {
            /** @description Stable: the codes of the doctor */
            code: string;
            subject: {
                contextId?: number;
                documentId?: number;
                documentUuid?: string;
                file?: string;
                collection?: string;
                model?: string;
                job?: string;
            };
            message: string;
            /** @description What `alcove doctor --repair` would do, or what the operator can do */
            repair: string;
            isRepairable: boolean;
            isRepaired: boolean;
        };
        CatalogEntry: {
            type: components["schemas"]["EventType"];
            event_category: string;
            description: string;
            /** @description The fields of the event's data, each with its JSON type */
            data: {
                [key: string]: string;
            };
        };
        /** @description A type of the catalog, or one that the host has named */
        EventType: ("run.started" | "run.completed" | "run.failed" | "agent.created" | "agent.published" | "agent.unpublished" | "agent.enabled" | "agent.disabled" | "agent.deleted" | "document.completed" | "document.failed" | "document.deleted") | string;
        Destination: {
            id: number;
            /** @description The company whose events it gets */
            customerId: number;
            url: string;
            name: string | null;
            /** @description Null for all types of the specification; other types must be named */
            eventTypes: components["schemas"]["EventType"][] | null;
            /** @description True to get the events of all companies below too */
            includeDescendants: boolean;
            /**
             * @description `service`: `x-service-signature`; `standard`: the headers of Standard Webhooks; `both`: all of them
             * @enum {string}
             */
            signatureScheme: "service" | "standard" | "both";
            /**
             * @description `standard`: three attempts in seconds; `long`: eleven attempts in about a day
             * @enum {string}
             */
            retry: "standard" | "long";
            /** @description True if it gets no events */
            disabled: boolean;
            /** @description `gone`: it answered 410 */
            disabledReason: ("gone" | "manual") | null;
            /** @description The first failed attempt since the last success; only with `long` retries */
            failingSince: string | null;
            /** @description The time until which the secret before the last rotation signs too */
            previousSecretExpires: string | null;
            /** Format: date-time */
            created: string;
            /** Format: date-time */
            updated: string;
        };
        DestinationWithSecret: {
            id: number;
            /** @description The company whose events it gets */
            customerId: number;
            url: string;
            name: string | null;
            /** @description Null for all types of the specification; other types must be named */
            eventTypes: components["schemas"]["EventType"][] | null;
            /** @description True to get the events of all companies below too */
            includeDescendants: boolean;
            /**
             * @description `service`: `x-service-signature`; `standard`: the headers of Standard Webhooks; `both`: all of them
             * @enum {string}
             */
            signatureScheme: "service" | "standard" | "both";
            /**
             * @description `standard`: three attempts in seconds; `long`: eleven attempts in about a day
             * @enum {string}
             */
            retry: "standard" | "long";
            /** @description True if it gets no events */
            disabled: boolean;
            /** @description `gone`: it answered 410 */
            disabledReason: ("gone" | "manual") | null;
            /** @description The first failed attempt since the last success; only with `long` retries */
            failingSince: string | null;
            /** @description The time until which the secret before the last rotation signs too */
            previousSecretExpires: string | null;
            /** Format: date-time */
            created: string;
            /** Format: date-time */
            updated: string;
            /** @description The key that signs deliveries; no later answer contains it */
            secret: string;
        };
        Delivery: {
            id: number;
            /** @description The `id` in the envelope */
            eventId: string;
            type: components["schemas"]["EventType"];
            destinationId: number;
            /** @enum {string} */
            status: "pending" | "delivering" | "succeeded" | "failed" | "blocked" | "cancelled" | "dead";
            httpStatus: number | null;
            attemptCount: number;
            error: string | null;
            /** Format: date-time */
            created: string;
            /** Format: date-time */
            updated: string;
        };
        DeliveryPage: {
            items: components["schemas"]["Delivery"][];
            /** @description The `cursor` of the next page; null on the last page */
            nextCursor: string | null;
        };
        DeliveryWithAttempts: {
            id: number;
            /** @description The `id` in the envelope */
            eventId: string;
            type: components["schemas"]["EventType"];
            destinationId: number;
            /** @enum {string} */
            status: "pending" | "delivering" | "succeeded" | "failed" | "blocked" | "cancelled" | "dead";
            httpStatus: number | null;
            attemptCount: number;
            error: string | null;
            /** Format: date-time */
            created: string;
            /** Format: date-time */
            updated: string;
            /** @description The delivery whose bytes this one repeats */
            resendOf: number | null;
            /** @description The body of the request */
            payload: string;
            attempts: components["schemas"]["Attempt"][];
        };
        Attempt: {
            /** @description Null while the attempt runs */
            outcome: ("success" | "http_error" | "timeout" | "connection_error" | "blocked" | "interrupted") | null;
            httpStatus: number | null;
            error: string | null;
            /** @description The beginning of the response body as text */
            responseBody: string | null;
            /** Format: date-time */
            started: string;
            durationMs: number | null;
        };
        Health: {
            /** @enum {string} */
            status: "ok" | "unavailable";
            ports: {
                [key: string]: string;
            };
            reasons?: {
                [key: string]: string;
            };
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    issueToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @constant */
                    grant_type: "client_credentials";
                    /** @description Required unless HTTP Basic is used */
                    client_id?: string;
                    /** @description Required unless HTTP Basic is used */
                    client_secret?: string;
                    /**
                     * @description Required without `resource`
                     * @enum {unknown}
                     */
                    target_app?: "assistant" | "tenant";
                    /** @description The URL of the endpoint of agents (RFC 8707). The token is then for `assistant`, unless `target_app` says otherwise */
                    resource?: string;
                    /** @description Limits the token to one account */
                    account_id?: number;
                    /** @description Limits the token to these capabilities, separated by spaces */
                    scope?: string;
                };
            };
        };
        responses: {
            /** @description The token */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"];
                };
            };
            /** @description The request is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenProblem"];
                };
            };
            /** @description The client is unknown, or its secret is wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenProblem"];
                };
            };
            /** @description The form did not arrive within 30 seconds */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenProblem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong secrets; retry after the seconds in `Retry-After` */
            429: {
                headers: {
                    /** @description Seconds until a retry can succeed */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenProblem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenProblem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenProblem"];
                };
            };
        };
    };
    revokeToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    token: string;
                    /** @description Optional; ignored, because all tokens are access tokens */
                    token_type_hint?: string;
                    /** @description Required unless HTTP Basic is used */
                    client_id?: string;
                    /** @description Required unless HTTP Basic is used */
                    client_secret?: string;
                };
            };
        };
        responses: {
            /** @description The token is no longer valid, or never was */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenProblem"];
                };
            };
            /** @description The client is unknown, or its secret is wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenProblem"];
                };
            };
            /** @description The form did not arrive within 30 seconds */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenProblem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong secrets; retry after the seconds in `Retry-After` */
            429: {
                headers: {
                    /** @description Seconds until a retry can succeed */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenProblem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenProblem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenProblem"];
                };
            };
        };
    };
    introspectToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    token: string;
                    /** @description Optional; ignored, because all tokens are access tokens */
                    token_type_hint?: string;
                    /** @description Required unless HTTP Basic is used */
                    client_id?: string;
                    /** @description Required unless HTTP Basic is used */
                    client_secret?: string;
                };
            };
        };
        responses: {
            /** @description The state of the token */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Introspection"];
                };
            };
            /** @description The request is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenProblem"];
                };
            };
            /** @description The client is unknown, or its secret is wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenProblem"];
                };
            };
            /** @description The form did not arrive within 30 seconds */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenProblem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong secrets; retry after the seconds in `Retry-After` */
            429: {
                headers: {
                    /** @description Seconds until a retry can succeed */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenProblem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenProblem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenProblem"];
                };
            };
        };
    };
    authorize: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The only grant is `client_credentials` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenProblem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getKeySet: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A JSON Web Key Set (RFC 7517) */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeySet"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getServerMetadata: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Authorization server metadata (RFC 8414) */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerMetadata"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getLogin: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The login, with the accounts on which it may act */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Login"];
                };
            };
            /** @description Neither a cookie, nor a token, nor the login of the host names a caller */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    logIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    email: string;
                    password: string;
                    customerId?: number;
                    otp?: string;
                } | {
                    clientId: string;
                    clientSecret: string;
                };
            };
        };
        responses: {
            /** @description The login, with the accounts on which it may act */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Login"];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credentials are wrong; with `ERR_OTP_REQUIRED`, the password is right, and `otp` is missing */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A page of another origin sent the request */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body arrived too slowly; the server closes the connection */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong passwords or secrets */
            429: {
                headers: {
                    /** @description Seconds until a retry can succeed */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    logOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The login has ended, or there was none */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A page of another origin sent the request */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    requestPasswordReset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    email: string;
                    customerId?: number;
                };
            };
        };
        responses: {
            /** @description The answer for known and for unknown addresses */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body arrived too slowly; the server closes the connection */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests about passwords from one network address */
            429: {
                headers: {
                    /** @description Seconds until a retry can succeed */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    showSetupForm: {
        parameters: {
            query?: {
                token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The form */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": unknown;
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests about passwords from one network address */
            429: {
                headers: {
                    /** @description Seconds until a retry can succeed */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    setPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    token: string;
                    password: string;
                };
                "application/x-www-form-urlencoded": {
                    token: string;
                    password: string;
                };
            };
        };
        responses: {
            /** @description The password is set: a page, if the form of the page was sent */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": unknown;
                };
            };
            /** @description The password is set */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The token is used or expired, or the password is too short or too easy to guess */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html": unknown;
                };
            };
            /** @description The body arrived too slowly; the server closes the connection */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests about passwords from one network address */
            429: {
                headers: {
                    /** @description Seconds until a retry can succeed */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    searchContext: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                contextId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    prompt: string;
                    /** @enum {string} */
                    mode?: "hybrid" | "semantic" | "keyword";
                    topN?: number;
                    scoreThreshold?: number;
                    /** @description Conditions for documents. All of them must be met */
                    filter?: {
                        documents?: number[];
                        /** @description By key: a value, or tests */
                        metadata?: {
                            [key: string]: (string | number | boolean) | {
                                in?: (string | number | boolean)[];
                                gte?: string | number;
                                gt?: string | number;
                                lte?: string | number;
                                lt?: string | number;
                                exists?: boolean;
                                /** @description A value, or tests, that the value must not pass. A document without the key passes */
                                not?: (string | number | boolean) | {
                                    in?: (string | number | boolean)[];
                                    gte?: string | number;
                                    gt?: string | number;
                                    lte?: string | number;
                                    lt?: string | number;
                                };
                            };
                        };
                    };
                    include?: ("score" | "source" | "match")[];
                };
            };
        };
        responses: {
            /** @description Chunks, the highest `score` first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchResult"][];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body arrived too slowly; the server closes the connection */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The API key or its company runs too many searches, or sends too many long bodies, at the same time */
            429: {
                headers: {
                    /** @description Seconds until a retry can succeed */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    searchContexts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    contextIds: number[];
                    prompt: string;
                    /** @enum {string} */
                    mode?: "hybrid" | "semantic" | "keyword";
                    topN?: number;
                    scoreThreshold?: number;
                    /** @description Conditions for documents. All of them must be met */
                    filter?: {
                        documents?: number[];
                        /** @description By key: a value, or tests */
                        metadata?: {
                            [key: string]: (string | number | boolean) | {
                                in?: (string | number | boolean)[];
                                gte?: string | number;
                                gt?: string | number;
                                lte?: string | number;
                                lt?: string | number;
                                exists?: boolean;
                                /** @description A value, or tests, that the value must not pass. A document without the key passes */
                                not?: (string | number | boolean) | {
                                    in?: (string | number | boolean)[];
                                    gte?: string | number;
                                    gt?: string | number;
                                    lte?: string | number;
                                    lt?: string | number;
                                };
                            };
                        };
                    };
                    include?: ("score" | "source" | "match")[];
                };
            };
        };
        responses: {
            /** @description Chunks, the highest `score` first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContextSearchResult"][];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description One of the contexts does not exist, or the caller may not read it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body arrived too slowly; the server closes the connection */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The API key or its company runs too many searches, or sends too many long bodies, at the same time */
            429: {
                headers: {
                    /** @description Seconds until a retry can succeed */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    explainSearch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                contextId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    prompt: string;
                    /** @enum {string} */
                    mode?: "hybrid" | "semantic" | "keyword";
                    topN?: number;
                    scoreThreshold?: number;
                    /** @description Conditions for documents. All of them must be met */
                    filter?: {
                        documents?: number[];
                        /** @description By key: a value, or tests */
                        metadata?: {
                            [key: string]: (string | number | boolean) | {
                                in?: (string | number | boolean)[];
                                gte?: string | number;
                                gt?: string | number;
                                lte?: string | number;
                                lt?: string | number;
                                exists?: boolean;
                                /** @description A value, or tests, that the value must not pass. A document without the key passes */
                                not?: (string | number | boolean) | {
                                    in?: (string | number | boolean)[];
                                    gte?: string | number;
                                    gt?: string | number;
                                    lte?: string | number;
                                    lt?: string | number;
                                };
                            };
                        };
                    };
                };
            };
        };
        responses: {
            /** @description The explanation */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchExplanation"];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body arrived too slowly; the server closes the connection */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The API key or its company runs too many searches, or sends too many long bodies, at the same time */
            429: {
                headers: {
                    /** @description Seconds until a retry can succeed */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    preparePrompt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                contextId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    question: string;
                    /** @enum {string} */
                    mode?: "hybrid" | "semantic" | "keyword";
                    topN?: number;
                    scoreThreshold?: number;
                    /** @description Conditions for documents. All of them must be met */
                    filter?: {
                        documents?: number[];
                        /** @description By key: a value, or tests */
                        metadata?: {
                            [key: string]: (string | number | boolean) | {
                                in?: (string | number | boolean)[];
                                gte?: string | number;
                                gt?: string | number;
                                lte?: string | number;
                                lt?: string | number;
                                exists?: boolean;
                                /** @description A value, or tests, that the value must not pass. A document without the key passes */
                                not?: (string | number | boolean) | {
                                    in?: (string | number | boolean)[];
                                    gte?: string | number;
                                    gt?: string | number;
                                    lte?: string | number;
                                    lt?: string | number;
                                };
                            };
                        };
                    };
                    history?: {
                        /** @enum {string} */
                        role: "user" | "assistant";
                        content: string;
                    }[];
                    maxTokens?: number;
                    prompt?: string;
                };
            };
        };
        responses: {
            /** @description The prompt */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatPrompt"];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body arrived too slowly; the server closes the connection */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The API key or its company runs too many searches, or sends too many long bodies, at the same time */
            429: {
                headers: {
                    /** @description Seconds until a retry can succeed */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listContexts: {
        parameters: {
            query?: {
                limit?: number;
                after?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Contexts, ordered by id */
            200: {
                headers: {
                    /** @description The next page, as `<URL>; rel="next"` (RFC 8288), if `limit` was given and another page exists */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Context"][];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createContext: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    description: string;
                    caption: string;
                    /**
                     * @description The tools of the context: a JSON array of tool definitions as a string, at most 1,048,576 bytes in UTF-8; `[]` for none. Each has `id` (integer), `name` (a function name), `description`, `action` (`Run Agent`), `agentId` (integer) and, optionally, `parameters`: an array of `{ paramName, type, required, description }`, where `type` is `string`, `integer` or `boolean`
                     * @example [{"id":1,"name":"book_room","description":"Books a meeting room","action":"Run Agent","agentId":7,"parameters":[{"paramName":"seats","type":"integer","required":true,"description":"Number of seats"}]}]
                     */
                    toolsJson: string;
                    starterPrompts?: string[];
                };
            };
        };
        responses: {
            /** @description The context */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Context"];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body arrived too slowly; the server closes the connection */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The company has reached its limit of contexts */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The company sends too many long bodies at the same time */
            429: {
                headers: {
                    /** @description Seconds until a retry can succeed */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getContext: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                contextId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The context */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Context"];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateContext: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                contextId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    description: string;
                    caption: string;
                    /**
                     * @description The tools of the context: a JSON array of tool definitions as a string, at most 1,048,576 bytes in UTF-8; `[]` for none. Each has `id` (integer), `name` (a function name), `description`, `action` (`Run Agent`), `agentId` (integer) and, optionally, `parameters`: an array of `{ paramName, type, required, description }`, where `type` is `string`, `integer` or `boolean`
                     * @example [{"id":1,"name":"book_room","description":"Books a meeting room","action":"Run Agent","agentId":7,"parameters":[{"paramName":"seats","type":"integer","required":true,"description":"Number of seats"}]}]
                     */
                    toolsJson?: string;
                    starterPrompts?: string[];
                };
            };
        };
        responses: {
            /** @description The updated context */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Context"];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body arrived too slowly; the server closes the connection */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The company sends too many long bodies at the same time */
            429: {
                headers: {
                    /** @description Seconds until a retry can succeed */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteContext: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                contextId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The context is deleted */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Empty"];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    shareContext: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                contextId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {number} */
                    shareState: 0 | 1;
                    icon?: string;
                };
            };
        };
        responses: {
            /** @description The share state is set */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body arrived too slowly; the server closes the connection */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getContextSettings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                contextId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The settings */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContextSettings"];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateContextSettings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                contextId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    embeddingModel?: string;
                    chunkSizeTokens?: number;
                    overlap?: number;
                    /** @description Null cancels the re-index in progress; leave it out otherwise */
                    reindexing?: Record<string, never> | null;
                    maxSizeBytes?: number;
                    topN?: number;
                    scoreThreshold?: number;
                    /** @enum {string} */
                    searchMode?: "hybrid" | "semantic" | "keyword";
                    findsEarly?: boolean;
                };
            };
        };
        responses: {
            /** @description The settings after the change */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContextSettings"];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body arrived too slowly; the server closes the connection */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    watchDocuments: {
        parameters: {
            query?: {
                docId?: number;
                snapshot?: "all" | "unfinished";
            };
            header?: never;
            path: {
                contextId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A stream of events; the schema is that of the data of an event `document` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["DocumentState"];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The API key, or the company, already has its maximum of streams */
            429: {
                headers: {
                    /** @description Seconds until a retry can succeed */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    uploadDocument: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                contextId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** Format: binary */
                    file: string;
                    /** @description The metadata of the document as JSON. The field may come before or after the file */
                    metadata?: string;
                };
            };
        };
        responses: {
            /** @description The UUID of the document */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string;
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body arrived too slowly; the server closes the connection */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The context has reached its limit of documents */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The company runs too many uploads at the same time */
            429: {
                headers: {
                    /** @description Seconds until a retry can succeed */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    replaceDocument: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                contextId: number;
                docId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** Format: binary */
                    file: string;
                    /** @description The metadata of the document as JSON. The field may come before or after the file */
                    metadata?: string;
                };
            };
        };
        responses: {
            /** @description The UUID of the new version; that of the existing one for the same file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string;
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body arrived too slowly; the server closes the connection */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The company runs too many uploads at the same time */
            429: {
                headers: {
                    /** @description Seconds until a retry can succeed */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listDocuments: {
        parameters: {
            query?: {
                filter?: string;
                status?: string;
                order?: "oldest" | "newest" | "name";
                name?: string;
                afterName?: string;
                limit?: number;
                after?: number;
            };
            header?: never;
            path: {
                contextId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Documents in their order */
            200: {
                headers: {
                    /** @description The next page, as `<URL>; rel="next"` (RFC 8288), if `limit` was given and another page exists */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Document"][];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getDocument: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                contextId: number;
                docId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentWithReceipt"];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteDocument: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                contextId: number;
                docId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document is deleted */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Empty"];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateDocument: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                contextId: number;
                docId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    displayName?: string | null;
                    metadata?: {
                        [key: string]: string | number | boolean | string[] | null;
                    } | null;
                };
            };
        };
        responses: {
            /** @description The changed document */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Document"];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body arrived too slowly; the server closes the connection */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getDocumentContent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                contextId: number;
                docId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bytes */
            200: {
                headers: {
                    /** @description Name of the file (RFC 6266) */
                    "Content-Disposition"?: string;
                    /** @description Number of bytes */
                    "Content-Length"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": unknown;
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getDocumentText: {
        parameters: {
            query?: {
                start?: number;
                end?: number;
            };
            header?: never;
            path: {
                contextId: number;
                docId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The text in UTF-8 */
            200: {
                headers: {
                    /** @description UTF-16 units of the whole text */
                    "Text-Length"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": unknown;
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The document is being processed (`ERR_NOT_READY`), or has failed (`ERR_DOCUMENT_FAILED`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listDocumentChunks: {
        parameters: {
            query?: {
                limit?: number;
                after?: number;
            };
            header?: never;
            path: {
                contextId: number;
                docId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Chunks, ordered by ordinal */
            200: {
                headers: {
                    /** @description The next page, as `<URL>; rel="next"` (RFC 8288), if `limit` was given and another page exists */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentChunk"][];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listUsers: {
        parameters: {
            query?: {
                limit?: number;
                after?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Users with their permissions, ordered by id */
            200: {
                headers: {
                    /** @description The next page, as `<URL>; rel="next"` (RFC 8288), if `limit` was given and another page exists */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"][];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listUsersOfCompany: {
        parameters: {
            query?: {
                limit?: number;
                after?: number;
            };
            header?: never;
            path: {
                cid: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Users with their permissions, ordered by id */
            200: {
                headers: {
                    /** @description The next page, as `<URL>; rel="next"` (RFC 8288), if `limit` was given and another page exists */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"][];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    findUser: {
        parameters: {
            query?: {
                email?: string;
                externalId?: string;
                cid?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user with its permissions */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserDetails"];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    addUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    email: string;
                    customerId?: number;
                    externalId?: string;
                    invite?: boolean;
                    firstName?: string;
                    lastName?: string;
                    name?: string;
                };
            };
        };
        responses: {
            /** @description The user */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body arrived too slowly; the server closes the connection */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The company has reached its limit of users */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many mails in an hour: to the address, for the company or for all; nothing was done */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    reinitiateUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    id: number;
                };
            };
        };
        responses: {
            /** @description The invitation is sent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body arrived too slowly; the server closes the connection */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many mails in an hour: to the address, for the company or for all; nothing was done */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user with its permissions */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserDetails"];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user is deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A company would have no user left who can manage it, or the user is the owner */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    handOverContext: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                contextId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    toUserId: number;
                };
            };
        };
        responses: {
            /** @description The context with its new user */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Context"];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body arrived too slowly; the server closes the connection */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    handOverContextsOfUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    toUserId: number;
                    accountId?: number;
                };
            };
        };
        responses: {
            /** @description The contexts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HandedOver"];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body arrived too slowly; the server closes the connection */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The user is still active */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    permissionOptions: {
        parameters: {
            query?: {
                cid?: number;
                all?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The choices of this step */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PermissionOptions"];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    permissionOptionsByType: {
        parameters: {
            query?: {
                cid?: number;
                all?: boolean;
            };
            header?: never;
            path: {
                type: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The choices of this step */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PermissionOptions"];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    permissionOptionsByRegion: {
        parameters: {
            query?: {
                cid?: number;
                all?: boolean;
            };
            header?: never;
            path: {
                type: number;
                region: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The choices of this step */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PermissionOptions"];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    permissionOptionsByAccount: {
        parameters: {
            query?: {
                cid?: number;
                all?: boolean;
            };
            header?: never;
            path: {
                type: number;
                region: number;
                account: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The choices of this step */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PermissionOptions"];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updatePermission: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    id: number;
                    appRoleId: number;
                };
            };
        };
        responses: {
            /** @description The role is changed */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body arrived too slowly; the server closes the connection */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The company would have no user left who can manage it */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createPermission: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    userIdentityId: number;
                    appAccountId: number;
                    appRoleId: number;
                    /** @default false */
                    disabled?: boolean;
                };
            };
        };
        responses: {
            /** @description The permission */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Permission"];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body arrived too slowly; the server closes the connection */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deletePermission: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                permId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The permission is deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The company would have no user left who can manage it */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    togglePermission: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                permId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state is changed */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The company would have no user left who can manage it */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listCompanies: {
        parameters: {
            query?: {
                limit?: number;
                after?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The companies, ordered by id */
            200: {
                headers: {
                    /** @description The next page, as `<URL>; rel="next"` (RFC 8288), if `limit` was given and another page exists */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Company"][];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listRoles: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The roles, ordered by id */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Role"][];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                limit?: number;
                after?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys without their secrets, revoked ones too, ordered by id */
            200: {
                headers: {
                    /** @description The next page, as `<URL>; rel="next"` (RFC 8288), if `limit` was given and another page exists */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"][];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    userId?: number;
                    /** @enum {string} */
                    sight?: "user" | "account";
                    expires?: string;
                    companyId?: number;
                    targets: ("assistant" | "tenant")[];
                };
            };
        };
        responses: {
            /** @description The key with its secret */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyWithSecret"];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body arrived too slowly; the server closes the connection */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The company has reached its limit of API keys or users */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key is revoked */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAudit: {
        parameters: {
            query?: {
                companyId?: number;
                action?: "permission.created" | "permission.role-changed" | "permission.suspended" | "permission.resumed" | "permission.revoked" | "permission.toggled" | "user.added" | "user.updated" | "user.reinitiated" | "user.disabled" | "user.enabled" | "user.deleted" | "user.contexts-handed-over" | "password.reset-requested" | "password.set" | "otp.begun" | "otp.enabled" | "otp.disabled" | "otp.recovery-codes-renewed" | "otp.recovery-code-used" | "token.revoked" | "token.refused" | "login.refused" | "api-key.created" | "api-key.revoked" | "company.created" | "company.moved" | "company.disabled" | "company.enabled" | "company.deleted" | "account.created" | "account.enabled" | "account.disabled" | "account.deleted" | "role.created" | "role.disabled" | "role.enabled" | "role.deleted" | "signing-key.rotated" | "context.created" | "context.updated" | "context.shared" | "context.handed-over" | "context.deleted" | "document.uploaded" | "document.updated" | "document.replaced" | "document.retried" | "document.deleted" | "destination.created" | "destination.updated" | "destination.disabled" | "destination.enabled" | "destination.deleted" | "destination.secret-rotated" | "destination.tested" | "delivery.resent";
                userId?: number;
                from?: string;
                to?: string;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page, the newest entry first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditPage"];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getUsage: {
        parameters: {
            query?: {
                cid?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Numbers in use, and the largest contexts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CompanyUsage"];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getInstallationState: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state, without names of folders */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstallationState"];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    verifyInstallation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerifyReport"];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Another verification runs in this process */
            429: {
                headers: {
                    /** @description Seconds until a retry can succeed */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listEventTypes: {
        parameters: {
            query?: {
                all?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The event types of the specification, or all types, with the fields of their data */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CatalogEntry"][];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listDestinations: {
        parameters: {
            query?: {
                cid?: number;
                limit?: number;
                after?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Destinations, ordered by id */
            200: {
                headers: {
                    /** @description The next page, as `<URL>; rel="next"` (RFC 8288), if `limit` was given and another page exists */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Destination"][];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createDestination: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    url: string;
                    name?: string | null;
                    eventTypes: (string | ("run.started" | "run.completed" | "run.failed" | "agent.created" | "agent.published" | "agent.unpublished" | "agent.enabled" | "agent.disabled" | "agent.deleted" | "document.completed" | "document.failed" | "document.deleted"))[] | null;
                    customerId?: number;
                    includeDescendants?: boolean;
                    /** @enum {string} */
                    signatureScheme?: "service" | "standard" | "both";
                    /** @enum {string} */
                    retry?: "standard" | "long";
                    disabled?: boolean;
                };
            };
        };
        responses: {
            /** @description The destination with its secret, which no later answer contains */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DestinationWithSecret"];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body arrived too slowly; the server closes the connection */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The company has reached its limit of destinations */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The company has created or changed too many destinations in a minute */
            429: {
                headers: {
                    /** @description Seconds until a retry can succeed */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getDestination: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The destination */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Destination"];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateDestination: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    url: string;
                    name?: string | null;
                    eventTypes: (string | ("run.started" | "run.completed" | "run.failed" | "agent.created" | "agent.published" | "agent.unpublished" | "agent.enabled" | "agent.disabled" | "agent.deleted" | "document.completed" | "document.failed" | "document.deleted"))[] | null;
                    customerId?: number;
                    includeDescendants?: boolean;
                    /** @enum {string} */
                    signatureScheme?: "service" | "standard" | "both";
                    /** @enum {string} */
                    retry?: "standard" | "long";
                    disabled?: boolean;
                };
            };
        };
        responses: {
            /** @description The updated destination */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Destination"];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body arrived too slowly; the server closes the connection */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The company has created or changed too many destinations in a minute */
            429: {
                headers: {
                    /** @description Seconds until a retry can succeed */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteDestination: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The destination is deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    rotateDestinationSecret: {
        parameters: {
            query?: {
                overlapHours?: number;
            };
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The destination with its new secret, which no later answer contains */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DestinationWithSecret"];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    testDestination: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery, which is queued */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The company has sent too many test events in a minute */
            429: {
                headers: {
                    /** @description Seconds until a retry can succeed */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                destinationId?: number;
                status?: "pending" | "delivering" | "succeeded" | "failed" | "blocked" | "cancelled" | "dead";
                type?: string | ("run.started" | "run.completed" | "run.failed" | "agent.created" | "agent.published" | "agent.unpublished" | "agent.enabled" | "agent.disabled" | "agent.deleted" | "document.completed" | "document.failed" | "document.deleted");
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page, the newest delivery first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryPage"];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryWithAttempts"];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resendDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new delivery, which is queued */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            /** @description The input is not valid: `detail` names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is missing, not valid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this operation */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The company has resent too many deliveries in a minute */
            429: {
                headers: {
                    /** @description Seconds until a retry can succeed */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All ports work */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A port does not work */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All ports work */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A port does not work */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    getDescription: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An OpenAPI 3.1 document */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    showDescription: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": unknown;
                };
            };
            /** @description Internal failure */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service is not available now; retry later */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
