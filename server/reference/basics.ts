import { type Html, markup } from './markup.ts'

/** What holds for every call, told once. */
export const basics = (base: string, origin: string): Html =>
  markup`<section id="basics"><h2>Basics</h2>
  <p>Every path stands behind <code>${base}</code>. Bodies and answers are JSON. Amounts are decimal strings, never floats; in
  smallest units they are whole numbers as strings (<code>raw</code>). Members may be added to answers at any time: ignore what you
  do not know.</p>
  <h3 id="keys">Keys and signatures</h3>
  <table>
  <thead>
  <tr><th scope="col">Kind</th><th scope="col">What it takes</th></tr></thead>
  <tbody>
  <tr><td><span class="auth">Key</span></td>
    <td>The publishable key in <code>X-API-KEY</code>. May be in a browser. Servers may send it in <code>Authorization</code> instead.</td></tr>
  <tr><td><span class="auth">Signed</span></td>
    <td>The key in <code>Authorization</code>, and <code>Authorization-Signature: APIKey=…,signature=…,timestamp=…</code>: the hex
  HMAC-SHA256, with your secret, of method, path (without <code>/v3</code> and query) and Unix time, one after the other. 300 seconds
  of difference are forgiven. Servers only.</td></tr>
  <tr><td><span class="auth">Body signed</span></td>
    <td>The same, and the hex SHA-256 of the body at the end of what is signed.</td></tr>
  <tr><td><span class="auth">Key or signed</span></td>
    <td>The key opens it; a <code>SALE</code> has to be signed.</td></tr>
  <tr><td><span class="auth">Public</span></td>
    <td>Nothing.</td></tr>
  </tbody>
  </table>
  <h3 id="idempotency">The same request twice</h3>
  <p>Where <code>Idempotency-Key</code> is taken, the same key with the same body is answered as the first time, for a day; with
  another body it is 409. What is called with the key alone and what is signed have keys apart. Give one of your own (the cart, the refund), and a request that you had to repeat makes one order.</p>
  <h3 id="limits">Limits</h3>
  <p>Calls are counted per key, and with the publishable key also per address; those that ask a chain or a provider for you (quotes,
  swap prices, portfolios, looking a transaction up) have a smaller allowance beside it. 429 says in <code>Retry-After</code> how many
  seconds to wait, and so does 503. A body has at most 64 KiB.</p>
  <h3 id="errors">Errors</h3>
  <p>Each is an <a href="#type-ErrorResponse">ErrorResponse</a>: a sentence that you can act on in <code>message</code>, and for a
  wrong body the members that were wrong in <code>details.issues</code>, each with its <code>path</code>. A member that this API does
  not know is refused by its name, except in <code>metadata</code>, which keeps strings of your own. 401 never says which part was wrong. 500 carries a trace id
  that the operator finds in the log. Nothing has happened when you get 4xx; after 5xx or silence, ask again with the same
  <code>Idempotency-Key</code>.</p>
  <h3 id="live">Live events</h3>
  <p><code>${base.replace(/^http/, 'ws')}/ws</code>: send <code>{"type":"connect","data":{"api_key":"…"}}</code>, then
  <code>{"type":"subscribe","data":{"order_id":"…"}}</code>, and get <code>{"type":"event","data":…}</code> with an
  <a href="#type-EventEnvelope">EventEnvelope</a> for each change. Nothing is replayed: read the order after you have subscribed.</p>
  <p>A server may listen to its whole organisation: it connects with
  <code>{"type":"connect","data":{"api_key":"…","authorization_signature":"APIKey=…,signature=…,timestamp=…"}}</code>, signed like a
  call of <code>GET/ws</code> (the text that is signed is <code>GET/ws</code> and the Unix time), and sends
  <code>{"type":"subscribe","data":{}}</code>. Every 25 seconds comes <code>{"type":"ping"}</code>; who hears nothing for 40 seconds
  connects again. A connection ends with code 4401 when its key is switched off.</p>
  <h3 id="deliveries">What a webhook is sent</h3>
  <p>A POST of an <a href="#type-EventEnvelope">EventEnvelope</a>. <code>Till-Webhook-Signature</code> is the base64 HMAC-SHA256 of the
  raw body with the secret of the webhook; after a rotation two of them, separated by a comma, for a day.
  <code>Till-Webhook-Id</code> is the same over every retry of one delivery. A status from 200 to 299 within 30 seconds counts.</p>
  <h3 id="x402">x402</h3>
  <p><a href="#completeX402">Completing a payment</a> speaks in headers, each the base64 of JSON: <code>PAYMENT-REQUIRED</code> of a 402
  is a <a href="#type-PaymentRequired">PaymentRequired</a>, <code>PAYMENT-SIGNATURE</code> of the request a
  <a href="#type-PaymentPayload">PaymentPayload</a>, and <code>PAYMENT-RESPONSE</code> of the answer a
  <a href="#type-PaymentResponse">PaymentResponse</a>.</p>
  <h3 id="machines">For machines</h3>
  <p><a href="${base}/openapi.json">openapi.json</a> (OpenAPI 3.1) is what this page is made of. The embed script is at
  <code>${origin}/till.js</code>.</p>
  </section>`
