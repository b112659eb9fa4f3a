// Search and copying. All pages can be read without it.
"use strict";
const root = document.currentScript.dataset.root;
const box = document.querySelector("search"), input = document.getElementById("q");
const found = document.getElementById("found"), count = document.getElementById("count");
let index, loading;

box.hidden = false;
const list = document.getElementById("pages"), here = list.querySelector("[aria-current]");
if (here) list.scrollTop = here.offsetTop - list.clientHeight / 3;
input.addEventListener("focus", load);
input.addEventListener("input", () => { load(); show(); });
document.addEventListener("keydown", e => {
	if (e.key === "/" && !e.ctrlKey && !e.metaKey && !/^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) {
		e.preventDefault();
		input.focus();
	} else if (e.key === "Escape" && !found.hidden) {
		found.hidden = true;
		input.focus();
	} else if (box.contains(document.activeElement) && !found.hidden) {
		const stops = [input, ...found.querySelectorAll("a")], at = stops.indexOf(document.activeElement);
		const to = e.key === "ArrowDown" ? at + 1 : e.key === "ArrowUp" ? at - 1 : e.key === "Enter" && at === 0 ? 1 : -1;
		if (to < 0 || to >= stops.length) return;
		e.preventDefault();
		if (e.key === "Enter") stops[to].click(); else stops[to].focus();
	}
});
document.addEventListener("click", e => { if (!box.contains(e.target)) found.hidden = true; });

async function load() {
	if (loading) return;
	loading = true;
	const answer = await fetch(root + "search.json").then(r => r.json()).catch(() => null);
	loading = answer !== null; // the next letter tries again
	if (!answer) return;
	index = answer;
	for (const s of index.sections) {
		s.head = ((s.h ?? "") + " " + index.pages[s.p][1]).toLowerCase();
		s.all = s.head + " " + s.t.toLowerCase() + " " + (s.w ?? "");
	}
	show();
}

// A section counts if it has all words; what its headings have counts most.
function score(s, words) {
	let sum = s.h ? 0 : 1;
	for (const w of words) {
		if (!s.all.includes(w)) return 0;
		const at = s.head.indexOf(w);
		sum += at === 0 ? 8 : at > 0 ? 5 : s.t.toLowerCase().includes(w) ? 2 : 1;
	}
	return sum;
}

function show() {
	const all = input.value.toLowerCase().split(/\s+/).filter(Boolean);
	const rare = all.filter(w => !index?.common.includes(w)), words = rare.length ? rare : all;
	found.replaceChildren();
	found.hidden = !index || !words.length;
	if (found.hidden) { count.textContent = ""; return; }
	const best = index.sections.map(s => [score(s, words), s]).filter(x => x[0]).sort((a, b) => b[0] - a[0]).slice(0, 12);
	for (const [, s] of best) {
		const a = document.createElement("a"), title = document.createElement("strong"), text = document.createElement("span");
		const [path, page] = index.pages[s.p];
		a.href = root + path + (s.a ? "#" + s.a : "");
		marked(title, s.h ? page + " › " + s.h : page, words);
		marked(text, s.t, words);
		a.append(title, text);
		const li = document.createElement("li");
		li.append(a);
		found.append(li);
	}
	count.textContent = best.length ? best.length + " found" : "nothing found";
	if (!best.length) found.insertAdjacentHTML("beforeend", '<li class="none">Nothing has all these words</li>');
}

function marked(to, text, words) {
	const split = new RegExp("(" + words.map(w => w.replace(/[^\p{L}\p{N}]/gu, "\\$&")).join("|") + ")", "i");
	text.split(split).forEach((part, i) => {
		if (i % 2) to.appendChild(document.createElement("mark")).textContent = part; else to.append(part);
	});
}

for (const pre of document.querySelectorAll("pre.sh, pre.console, pre.yaml, pre.json")) {
	const button = document.createElement("button"), around = document.createElement("div");
	around.className = "box";
	button.className = "copy";
	button.textContent = "Copy";
	button.addEventListener("click", async () => {
		const typed = [...pre.querySelectorAll("b")].map(b => b.textContent).join("\n");
		await navigator.clipboard.writeText(typed || pre.textContent);
		button.textContent = "Copied";
		setTimeout(() => { button.textContent = "Copy"; }, 1500);
	});
	pre.replaceWith(around);
	around.append(pre, button);
}
