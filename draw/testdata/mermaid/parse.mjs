// Reads drawings from stdin, each a JSON string on a line, and prints for each
// a line of JSON: what Mermaid's own parser makes of it.
//
//	{ok, error, direction, nodes: [{id, text, plain, shape, group, classes}],
//	 edges: [{from, to, text, plain, stroke, head, width}], groups: [{id, title}]}
//
// A text is what a person reads in the picture: sanitized as Mermaid does it,
// its numbers made characters. Plain says that it stays the same where it is
// read as Markdown, as older versions do with every label.
import { createInterface } from 'node:readline'
import { JSDOM } from 'jsdom'

const { window } = new JSDOM('<!doctype html><body></body>')
globalThis.window = window
globalThis.document = window.document

const { default: mermaid } = await import('mermaid')
const { marked } = await import('marked')
mermaid.initialize({ startOnLoad: false, maxEdges: 1e6, maxTextSize: 1e9, logLevel: 'fatal' })

const page = document.createElement('p')

function shown(text) {
	page.innerHTML = text.replace(/ﬂ°°/g, '&#').replace(/ﬂ°/g, '&').replace(/¶ß/g, ';')
	return page.children.length === 0 ? page.textContent : 'MARKUP ' + page.innerHTML
}

function plain(text) {
	if (text === '') return true
	const blocks = marked.lexer(text)
	return blocks.length === 1 && blocks[0].type === 'paragraph' &&
		blocks[0].tokens.every((t) => t.type === 'text') &&
		blocks[0].tokens.map((t) => t.raw).join('') === text
}

async function parse(drawing) {
	const { db } = await mermaid.mermaidAPI.getDiagramFromText(drawing)
	const groupOf = {}
	for (const g of db.getSubGraphs()) for (const id of g.nodes) groupOf[id] = g.id
	return {
		ok: true,
		direction: db.getDirection(),
		nodes: [...db.getVertices().values()].map((v) => ({
			id: v.id, text: shown(v.text), plain: plain(v.text), shape: v.type, group: groupOf[v.id] ?? '', classes: v.classes.join(' '),
		})),
		edges: db.getEdges().map((e) => ({
			from: e.start, to: e.end, text: shown(e.text), plain: plain(e.text), stroke: e.stroke, head: e.type, style: (e.style ?? []).join(';'),
		})),
		groups: db.getSubGraphs().map((g) => ({ id: g.id, title: g.title })),
	}
}

for await (const line of createInterface({ input: process.stdin })) {
	let answer
	try {
		answer = await parse(JSON.parse(line))
	} catch (e) {
		answer = { ok: false, error: String(e.message ?? e) }
	}
	process.stdout.write(JSON.stringify(answer) + '\n')
}
