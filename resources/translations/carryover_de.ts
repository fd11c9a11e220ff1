<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de_DE" sourcelanguage="en_US">
<context>
    <name>AblationTable</name>
    <message>
        <source>Layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>Head</source>
        <translation>Kopf</translation>
    </message>
    <message>
        <source>Position</source>
        <translation>Position</translation>
    </message>
    <message>
        <source>Slots</source>
        <translation>Plätze</translation>
    </message>
    <message>
        <source>Score</source>
        <translation>Wertung</translation>
    </message>
    <message>
        <source>Δ loss</source>
        <translation>Δ Verlust</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>Query head</source>
        <translation>Query-Kopf</translation>
    </message>
    <message>
        <source>Absolute position of the anchor</source>
        <translation>Absolute Position des Ankers</translation>
    </message>
    <message>
        <source>Ablated: the anchor and the positions expanded from it</source>
        <translation>Ablatiert: der Anker und die von ihm aus erweiterten Positionen</translation>
    </message>
    <message>
        <source>Raw dot product of the best query summary with the unrotated key</source>
        <translation>Rohes Skalarprodukt der besten Zusammenfassung mit dem unrotierten Key</translation>
    </message>
    <message>
        <source>Mean loss of the segment without the hit minus the mean loss with it, in nats. Positive: the hit helped</source>
        <translation>Mittlerer Verlust des Segments ohne den Treffer minus dem mit ihm, in nat. Positiv: Der Treffer hat geholfen</translation>
    </message>
    <message>
        <source>Lower bound of the 95 % bootstrap interval</source>
        <translation>Untere Grenze des 95-%-Intervalls (Bootstrap)</translation>
    </message>
    <message>
        <source>Upper bound of the 95 % bootstrap interval</source>
        <translation>Obere Grenze des 95-%-Intervalls (Bootstrap)</translation>
    </message>
    <message>
        <source>Text around the position</source>
        <translation>Der Text um die Position</translation>
    </message>
    <message>
        <source>CI low</source>
        <translation>KI unten</translation>
    </message>
    <message>
        <source>CI high</source>
        <translation>KI oben</translation>
    </message>
</context>
<context>
    <name>AblationView</name>
    <message>
        <source>Selected head</source>
        <translation>Gewählter Kopf</translation>
    </message>
    <message>
        <source>All heads</source>
        <translation>Alle Köpfe</translation>
    </message>
    <message>
        <source>Heads whose hits are ablated</source>
        <translation>Köpfe, deren Treffer ablatiert werden</translation>
    </message>
    <message>
        <source>Ablate each hit</source>
        <translation>Jeden Treffer ablatieren</translation>
    </message>
    <message>
        <source>Hits by importance</source>
        <translation>Treffer nach Wichtigkeit</translation>
    </message>
    <message>
        <source>Runs the segment again once per anchor, without the anchor and the positions expanded from it</source>
        <translation>Führt das Segment für jeden Anker noch einmal aus, ohne den Anker und die von ihm aus erweiterten Positionen</translation>
    </message>
    <message>
        <source>segment %1: %2 of %3</source>
        <translation>Segment %1: %2 von %3</translation>
    </message>
    <message>
        <source>segment %1 has no anchors to ablate</source>
        <translation>Segment %1 hat keine Anker zum Ablatieren</translation>
    </message>
    <message>
        <source>segment %1: %2 anchors, about %3 s</source>
        <translation>Segment %1: %2 Anker, etwa %3 s</translation>
    </message>
    <message>
        <source>Export the table</source>
        <translation>Tabelle exportieren</translation>
    </message>
    <message>
        <source>Segment %1: loss without each hit</source>
        <translation>Segment %1: Verlust jeweils ohne einen Treffer</translation>
    </message>
    <message>
        <source>Select a head</source>
        <translation>Wählen Sie einen Kopf</translation>
    </message>
</context>
<context>
    <name>AskController</name>
    <message>
        <source>The question was cancelled</source>
        <translation>Die Frage wurde abgebrochen</translation>
    </message>
    <message>
        <source>no text has been run</source>
        <translation>noch wurde kein Text ausgeführt</translation>
    </message>
    <message>
        <source>no model is open</source>
        <translation>kein Modell ist offen</translation>
    </message>
    <message>
        <source>a question is being answered</source>
        <translation>eine Frage wird gerade beantwortet</translation>
    </message>
    <message>
        <source>question</source>
        <translation>Frage</translation>
    </message>
    <message>
        <source>Run a text first, or wait for the engine.</source>
        <translation>Führen Sie zuerst einen Text aus, oder warten Sie auf den Rechenkern.</translation>
    </message>
    <message>
        <source>a question is using the engine</source>
        <translation>eine Frage benutzt den Rechenkern</translation>
    </message>
    <message>
        <source>Ask the question again.</source>
        <translation>Stellen Sie die Frage noch einmal.</translation>
    </message>
    <message>
        <source>the run was made with other weights: open %1</source>
        <translation>der Lauf entstand mit anderen Gewichten: Öffnen Sie %1</translation>
    </message>
    <message>
        <source>it was asked about another text</source>
        <translation>sie galt einem anderen Text</translation>
    </message>
    <message>
        <source>it was answered in another dtype or on another device</source>
        <translation>sie wurde in einem anderen dtype oder auf einem anderen Gerät beantwortet</translation>
    </message>
    <message>
        <source>it is not what the engine answered last</source>
        <translation>sie ist nicht die letzte Antwort des Rechenkerns</translation>
    </message>
    <message>
        <source>reading the text</source>
        <translation>liest den Text</translation>
    </message>
    <message>
        <source>answering without retrieval</source>
        <translation>antwortet ohne Retrieval</translation>
    </message>
    <message>
        <source>answering</source>
        <translation>antwortet</translation>
    </message>
</context>
<context>
    <name>AskPanel</name>
    <message>
        <source>Ask</source>
        <translation>Fragen</translation>
    </message>
    <message>
        <source>A question about the text, or the beginning of a sentence that answers it</source>
        <translation>Eine Frage zum Text, oder der Anfang eines Satzes, der sie beantwortet</translation>
    </message>
    <message>
        <source>Question about the text</source>
        <translation>Frage zum Text</translation>
    </message>
    <message>
        <source>Answers</source>
        <translation>Antworten</translation>
    </message>
    <message>
        <source>Passages that the question retrieved</source>
        <translation>Stellen, die die Frage abgerufen hat</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>answering…</source>
        <translation>antwortet …</translation>
    </message>
    <message>
        <source>With retrieval:</source>
        <translation>Mit Retrieval:</translation>
    </message>
    <message>
        <source>Without retrieval:</source>
        <translation>Ohne Retrieval:</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Only this one</source>
        <translation>Nur diese</translation>
    </message>
    <message>
        <source>Probability of the answer</source>
        <translation>Wahrscheinlichkeit der Antwort</translation>
    </message>
    <message>
        <source>Probability of the answer without the passage</source>
        <translation>Wahrscheinlichkeit der Antwort ohne die Stelle</translation>
    </message>
    <message>
        <source>Probability of the answer with only this passage</source>
        <translation>Wahrscheinlichkeit der Antwort mit dieser Stelle allein</translation>
    </message>
    <message>
        <source>The model generated an empty answer.</source>
        <translation>Das Modell hat eine leere Antwort generiert.</translation>
    </message>
    <message>
        <source>Asked about %1</source>
        <translation>Gefragt zu %1</translation>
    </message>
    <message>
        <source>A question about %1, or the beginning of a sentence that answers it</source>
        <translation>Eine Frage zu %1 oder der Anfang eines Satzes, der sie beantwortet</translation>
    </message>
    <message>
        <source>Progress of the question</source>
        <translation>Fortschritt der Frage</translation>
    </message>
    <message>
        <source>The question was not answered.</source>
        <translation>Die Frage wurde nicht beantwortet.</translation>
    </message>
    <message>
        <source>“%1”: probability %2</source>
        <translation>„%1“: Wahrscheinlichkeit %2</translation>
    </message>
    <message>
        <source>“%1”: probability %2, without retrieval %3</source>
        <translation>„%1“: Wahrscheinlichkeit %2, ohne Retrieval %3</translation>
    </message>
    <message>
        <source>“%1”: probability %2. Nothing is retrieved: the presets in Settings turn retrieval on</source>
        <translation>„%1“: Wahrscheinlichkeit %2. Es wird nichts abgerufen: Die Vorlagen unter „Einstellungen“ schalten Retrieval ein</translation>
    </message>
</context>
<context>
    <name>AssetFetcher</name>
    <message>
        <source>%1 can&apos;t be started</source>
        <translation>%1 lässt sich nicht starten</translation>
    </message>
    <message>
        <source>the script ended with code %1</source>
        <translation>das Skript endete mit Code %1</translation>
    </message>
</context>
<context>
    <name>AttentionPanel</name>
    <message>
        <source>Attention</source>
        <translation>Attention</translation>
    </message>
    <message>
        <source>Logarithmic colours</source>
        <translation>Logarithmische Farben</translation>
    </message>
    <message>
        <source>Linear colours</source>
        <translation>Lineare Farben</translation>
    </message>
    <message>
        <source>Colours of the map</source>
        <translation>Farben der Karte</translation>
    </message>
    <message>
        <source>Attention on the prefix</source>
        <translation>Attention auf das Präfix</translation>
    </message>
    <message>
        <source>Key: prefix left of 0, segment from 0 (token)</source>
        <translation>Key: Präfix links von 0, Segment ab 0 (Token)</translation>
    </message>
    <message>
        <source>Query (token of the segment)</source>
        <translation>Query (Token des Segments)</translation>
    </message>
    <message>
        <source>start of the segment</source>
        <translation>Anfang des Segments</translation>
    </message>
    <message>
        <source>Attention on a key</source>
        <translation>Attention auf einen Key</translation>
    </message>
    <message>
        <source>Attention on %1 keys</source>
        <translation>Attention auf %1 Keys</translation>
    </message>
    <message>
        <source>log₁₀ of %1</source>
        <translation>log₁₀ von: %1</translation>
    </message>
    <message>
        <source>Layer %1, head %2, segment %3: attention over [prefix; segment]</source>
        <translation>Schicht %1, Kopf %2, Segment %3: Attention über [Präfix; Segment]</translation>
    </message>
    <message>
        <source>no prefix: this head sees only its segment</source>
        <translation>kein Präfix: Dieser Kopf sieht nur sein Segment</translation>
    </message>
    <message>
        <source>query %1: %2
key %3 (%4): %5
attention %6</source>
        <translation>Query %1: %2
Key %3 (%4): %5
Attention %6</translation>
    </message>
    <message>
        <source>prefix</source>
        <translation>Präfix</translation>
    </message>
    <message>
        <source>segment</source>
        <translation>Segment</translation>
    </message>
    <message>
        <source>%1 % of the attention on the %L2 tokens of the prefix</source>
        <translation>%1 % der Attention auf den %L2 Token des Präfixes</translation>
    </message>
</context>
<context>
    <name>AttributionPanel</name>
    <message>
        <source>Direct logit attribution</source>
        <translation>Direct Logit Attribution</translation>
    </message>
    <message>
        <source>From all sources</source>
        <translation>Aus allen Quellen</translation>
    </message>
    <message>
        <source>From the carry</source>
        <translation>Aus dem Übertrag</translation>
    </message>
    <message>
        <source>From the segment</source>
        <translation>Aus dem Segment</translation>
    </message>
    <message>
        <source>Source that the heads read</source>
        <translation>Quelle, die die Köpfe lesen</translation>
    </message>
    <message>
        <source>Terms of the logit</source>
        <translation>Terme des Logits</translation>
    </message>
    <message>
        <source>Query head</source>
        <translation>Query-Kopf</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>Share of the logit</source>
        <translation>Anteil am Logit</translation>
    </message>
    <message>
        <source>carry</source>
        <translation>Übertrag</translation>
    </message>
    <message>
        <source>retrieved</source>
        <translation>abgerufen</translation>
    </message>
    <message>
        <source>segment</source>
        <translation>Segment</translation>
    </message>
    <message>
        <source>feed-forward</source>
        <translation>Feed-forward</translation>
    </message>
    <message>
        <source>Select a token in the text to decompose its logit</source>
        <translation>Wählen Sie ein Token im Text, um sein Logit zu zerlegen</translation>
    </message>
    <message>
        <source>By head: %1. %2</source>
        <translation>Nach Kopf: %1. %2</translation>
    </message>
    <message>
        <source>Share of %1</source>
        <translation>Anteil an %1</translation>
    </message>
    <message>
        <source>By layer: %1</source>
        <translation>Nach Schicht: %1</translation>
    </message>
    <message>
        <source>probability %1, of the foil %2</source>
        <translation>Wahrscheinlichkeit %1, des Vergleichstokens %2</translation>
    </message>
    <message>
        <source>probability %1</source>
        <translation>Wahrscheinlichkeit %1</translation>
    </message>
    <message>
        <source>From the sinks</source>
        <translation>Aus den Sinks</translation>
    </message>
    <message>
        <source>sinks</source>
        <translation>Sinks</translation>
    </message>
    <message>
        <source>At %1, &lt;b&gt;%2 = %3&lt;/b&gt; (%4) = embedding %5, feed-forward %6, sinks %7, retrieved %8, carry %9, segment %10</source>
        <translation>Bei %1: &lt;b&gt;%2 = %3&lt;/b&gt; (%4) = Einbettung %5, Feed-forward %6, Sinks %7, abgerufen %8, Übertrag %9, Segment %10</translation>
    </message>
    <message>
        <source>layer %1, head %2
sinks %3
retrieved %4
carry %5
segment %6</source>
        <translation>Schicht %1, Kopf %2
Sinks %3
abgerufen %4
Übertrag %5
Segment %6</translation>
    </message>
    <message>
        <source>From the retrieved prefix</source>
        <translation>Aus dem abgerufenen Präfix</translation>
    </message>
    <message>
        <source>, biases %1</source>
        <translation>, Biase %1</translation>
    </message>
</context>
<context>
    <name>AuditController</name>
    <message>
        <source>The audit was cancelled</source>
        <translation>Das Audit wurde abgebrochen</translation>
    </message>
    <message>
        <source>audit</source>
        <translation>Audit</translation>
    </message>
    <message>
        <source>an audit is using the engine</source>
        <translation>ein Audit benutzt den Rechenkern</translation>
    </message>
    <message>
        <source>Auditing the gradient of %L1 tokens in %2</source>
        <translation>Audit des Gradienten von %L1 Token in %2</translation>
    </message>
    <message>
        <source>The audit passed: %1 checks</source>
        <translation>Audit bestanden: %1 Prüfungen</translation>
    </message>
    <message>
        <source>The audit FAILED: %1 of %2 checks</source>
        <translation>Audit NICHT bestanden: %1 von %2 Prüfungen gescheitert</translation>
    </message>
    <message>
        <source>settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Correct the marked field first.</source>
        <translation>Berichtigen Sie zuerst das markierte Feld.</translation>
    </message>
</context>
<context>
    <name>AuditForm</name>
    <message>
        <source>Segment S</source>
        <translation>Segment S</translation>
    </message>
    <message>
        <source>Tokens of a segment; M and R are at most a quarter of it</source>
        <translation>Token eines Segments; M und R sind höchstens ein Viertel davon</translation>
    </message>
    <message>
        <source>Segments N</source>
        <translation>Segmente N</translation>
    </message>
    <message>
        <source>Number of segments; more than K + 1 show the effect of the truncation</source>
        <translation>Zahl der Segmente; mehr als K + 1 zeigen, wie sich das Abschneiden auswirkt</translation>
    </message>
    <message>
        <source>Depth K</source>
        <translation>Tiefe K</translation>
    </message>
    <message>
        <source>Segment transitions that gradients cross</source>
        <translation>Segmentübergänge, über die Gradienten laufen</translation>
    </message>
    <message>
        <source>From token</source>
        <translation>Ab Token</translation>
    </message>
    <message>
        <source>First token of the open text that the audit reads</source>
        <translation>Erstes Token des offenen Textes, das das Audit liest</translation>
    </message>
    <message>
        <source>Policy</source>
        <translation>Verfahren</translation>
    </message>
    <message>
        <source>full: full attention over all segments at once</source>
        <translation>full: volle Attention über alle Segmente zugleich</translation>
    </message>
    <message>
        <source>LoRA rank</source>
        <translation>LoRA-Rang</translation>
    </message>
    <message>
        <source>0: every parameter; otherwise an adapter on all modules, with nonzero B</source>
        <translation>0: jeder Parameter; sonst ein Adapter auf allen Modulen, mit B ungleich 0</translation>
    </message>
    <message>
        <source>dtype</source>
        <translation>dtype</translation>
    </message>
    <message>
        <source>fp64 also checks finite differences; the other dtypes are faster and have wider bounds</source>
        <translation>fp64 prüft auch finite Differenzen; die anderen dtypes sind schneller und haben weitere Schranken</translation>
    </message>
</context>
<context>
    <name>AuditPanel</name>
    <message>
        <source>Audit</source>
        <translation>Audit</translation>
    </message>
    <message>
        <source>What the audit costs</source>
        <translation>Kosten des Audits</translation>
    </message>
    <message>
        <source>Run audit</source>
        <translation>Audit ausführen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Cancelling…</source>
        <translation>Wird abgebrochen …</translation>
    </message>
    <message>
        <source>Result of the audit</source>
        <translation>Ergebnis des Audits</translation>
    </message>
    <message>
        <source>Progress of the audit</source>
        <translation>Fortschritt des Audits</translation>
    </message>
    <message>
        <source>Checks</source>
        <translation>Prüfungen</translation>
    </message>
    <message>
        <source>An audit is running</source>
        <translation>Ein Audit läuft</translation>
    </message>
    <message>
        <source>Not now: %1</source>
        <translation>Jetzt nicht: %1</translation>
    </message>
    <message>
        <source>%1 has %L2 tokens, but the audit needs %L3: choose fewer or shorter segments, or an earlier start</source>
        <translation>%1 hat %L2 Token, das Audit braucht aber %L3: Wählen Sie weniger oder kürzere Segmente oder einen früheren Anfang</translation>
    </message>
    <message>
        <source>A single token has no target: choose more tokens</source>
        <translation>Ein einzelnes Token hat kein Ziel: Wählen Sie mehr Token</translation>
    </message>
    <message>
        <source>Needs about %1 more memory, and %2 is free: choose fp32, fewer tokens, an adapter (LoRA rank), or a smaller model</source>
        <translation>Braucht etwa %1 mehr Speicher, und %2 sind frei: Wählen Sie fp32, weniger Token, einen Adapter (LoRA-Rang) oder ein kleineres Modell</translation>
    </message>
    <message>
        <source>%L1 tokens, on a separate copy of the model in %2: about %3 more memory%4. The audit takes as long as reading %L5 tokens</source>
        <translation>%L1 Token, auf einer eigenen Kopie des Modells in %2: etwa %3 mehr Speicher%4. Das Audit dauert so lange wie das Lesen von %L5 Token</translation>
    </message>
    <message>
        <source> of %1 free</source>
        <translation> von %1 freien</translation>
    </message>
    <message>
        <source>, %1 or more at the last run&apos;s speed.</source>
        <translation>, beim Tempo des letzten Laufs %1 oder mehr.</translation>
    </message>
    <message>
        <source> Finite differences need fp64 and are left out.</source>
        <translation> Finite Differenzen brauchen fp64 und entfallen.</translation>
    </message>
    <message>
        <source>Verify training gradients against the objective</source>
        <translation>Die Gradienten des Trainings gegen die Zielfunktion prüfen</translation>
    </message>
    <message>
        <source>loading</source>
        <translation>lädt</translation>
    </message>
    <message>
        <source>The last audit ended without a result</source>
        <translation>Das letzte Audit endete ohne Ergebnis</translation>
    </message>
    <message>
        <source>%1: %2 of %3 checks passed · %4 segments, K %5, loss %6 nats</source>
        <translation>%1: %2 von %3 Prüfungen bestanden · %4 Segmente, K %5, Verlust %6 nat</translation>
    </message>
    <message>
        <source>Passed</source>
        <translation>Bestanden</translation>
    </message>
    <message>
        <source>FAILED</source>
        <translation>NICHT BESTANDEN</translation>
    </message>
    <message>
        <source>Export the audit</source>
        <translation>Audit exportieren</translation>
    </message>
    <message>
        <source>Results of the audit</source>
        <translation>Ergebnisse des Audits</translation>
    </message>
    <message>
        <source>Open a model first: Model, in the toolbar</source>
        <translation>Öffnen Sie zuerst ein Modell: „Modell“ in der Werkzeugleiste</translation>
    </message>
    <message>
        <source>Open a text first: Text, in the toolbar</source>
        <translation>Öffnen Sie zuerst einen Text: „Text“ in der Werkzeugleiste</translation>
    </message>
    <message>
        <source>%1 · made before the open model changed</source>
        <translation>%1 · stammt von vor der Änderung des geöffneten Modells</translation>
    </message>
    <message>
        <source>No audit yet. An audit checks that the trainer&apos;s gradient is exactly that of the loss whose gradients cross K segment transitions.</source>
        <translation>Noch kein Audit. Ein Audit prüft, ob der Gradient des Trainings genau der des Verlusts ist, dessen Gradienten K Segmentübergänge überqueren.</translation>
    </message>
</context>
<context>
    <name>AuditTable</name>
    <message>
        <source>passed</source>
        <translation>bestanden</translation>
    </message>
    <message>
        <source>FAILED</source>
        <translation>NICHT BESTANDEN</translation>
    </message>
    <message>
        <source>0 (equal)</source>
        <translation>0 (gleich)</translation>
    </message>
    <message>
        <source>%1: %2 is %3, the bound is %4</source>
        <translation>%1: %2 ist %3, die Schranke ist %4</translation>
    </message>
    <message>
        <source>Distance between the gradient of K and that of the nearest other K, on this model and text</source>
        <translation>Entfernung zwischen dem Gradienten von K und dem des nächsten anderen K, bei diesem Modell und Text</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>Check</source>
        <translation>Prüfung</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>Differenz</translation>
    </message>
    <message>
        <source>Bound</source>
        <translation>Schranke</translation>
    </message>
    <message>
        <source>Margin</source>
        <translation>Abstand</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>Maß</translation>
    </message>
</context>
<context>
    <name>BenchDialog</name>
    <message>
        <source>Benchmark</source>
        <translation>Benchmark</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>Fortschritt</translation>
    </message>
    <message>
        <source>A bench is running</source>
        <translation>Ein Benchmark läuft</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Starten</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stopp</translation>
    </message>
    <message>
        <source>Results measured so far are kept</source>
        <translation>Bisherige Ergebnisse bleiben erhalten</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>Öffnen…</translation>
    </message>
    <message>
        <source>Show an earlier bench from its folder</source>
        <translation>Einen früheren Benchmark aus seinem Ordner zeigen</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>Sichern…</translation>
    </message>
    <message>
        <source>Save the report as JSON, or its rows as CSV</source>
        <translation>Den Bericht als JSON oder seine Zeilen als CSV sichern</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>%1 (%2 s)</source>
        <translation>%1 (%2 s)</translation>
    </message>
    <message>
        <source>Ended after %1 s</source>
        <translation>Nach %1 s zu Ende</translation>
    </message>
    <message>
        <source>bench</source>
        <translation>Benchmark</translation>
    </message>
    <message>
        <source>was stopped before anything was measured</source>
        <translation>wurde angehalten, bevor etwas gemessen war</translation>
    </message>
    <message>
        <source>Not ready: %1</source>
        <translation>Nicht bereit: %1</translation>
    </message>
    <message>
        <source>Not now: %1</source>
        <translation>Jetzt nicht: %1</translation>
    </message>
    <message>
        <source>Measure in a separate process</source>
        <translation>In einem eigenen Prozess messen</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>Startet…</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>Hält an…</translation>
    </message>
    <message>
        <source>Choose a folder that was written by carryover bench --output.</source>
        <translation>Wählen Sie einen Ordner, den carryover bench --output geschrieben hat.</translation>
    </message>
    <message>
        <source>From %1</source>
        <translation>Aus %1</translation>
    </message>
    <message>
        <source>is neither .json nor .csv</source>
        <translation>ist weder .json noch .csv</translation>
    </message>
    <message>
        <source>Choose one of these suffixes.</source>
        <translation>Wählen Sie eine dieser Endungen.</translation>
    </message>
    <message>
        <source>Open the folder of a bench</source>
        <translation>Ordner eines Benchmarks öffnen</translation>
    </message>
    <message>
        <source>Save the bench</source>
        <translation>Benchmark sichern</translation>
    </message>
    <message>
        <source>JSON (*.json);;CSV (*.csv)</source>
        <translation>JSON (*.json);;CSV (*.csv)</translation>
    </message>
    <message>
        <source>A bench is running. Closing stops it, and its results are lost unless it has a folder.</source>
        <translation>Ein Benchmark läuft. Schließen hält ihn an, und seine Ergebnisse gehen verloren, wenn er keinen Ordner hat.</translation>
    </message>
    <message>
        <source>Stop and close</source>
        <translation>Anhalten und schließen</translation>
    </message>
    <message>
        <source>Keep it running</source>
        <translation>Weiterlaufen lassen</translation>
    </message>
</context>
<context>
    <name>BenchForm</name>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>The open model, or random weights of a known shape</source>
        <translation>Das offene Modell oder zufällige Gewichte einer bekannten Form</translation>
    </message>
    <message>
        <source>Use S, M, R, heads and the other settings of the window instead of the model&apos;s defaults</source>
        <translation>S, M, R, Köpfe und die anderen Einstellungen des Fensters statt der Standardwerte des Modells verwenden</translation>
    </message>
    <message>
        <source>with the window&apos;s settings</source>
        <translation>mit den Einstellungen des Fensters</translation>
    </message>
    <message>
        <source>dtype</source>
        <translation>dtype</translation>
    </message>
    <message>
        <source>auto: the faster one on this machine</source>
        <translation>auto: der auf diesem Rechner schnellere</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>auto: a GPU if there is one</source>
        <translation>auto: eine GPU, wenn es eine gibt</translation>
    </message>
    <message>
        <source>Threads</source>
        <translation>Threads</translation>
    </message>
    <message>
        <source>CPU threads</source>
        <translation>Threads des Prozessors</translation>
    </message>
    <message>
        <source>all</source>
        <translation>alle</translation>
    </message>
    <message>
        <source>Contexts</source>
        <translation>Kontexte</translation>
    </message>
    <message>
        <source>Lengths of the texts in tokens, separated by commas</source>
        <translation>Längen der Texte in Token, durch Kommas getrennt</translation>
    </message>
    <message>
        <source>Work</source>
        <translation>Arbeit</translation>
    </message>
    <message>
        <source>Prefill of a text, decoding of tokens after it, one training step of K + 1 segments</source>
        <translation>Prefill eines Textes, Dekodieren von Token danach, ein Trainingsschritt mit K + 1 Segmenten</translation>
    </message>
    <message>
        <source>Policies</source>
        <translation>Verfahren</translation>
    </message>
    <message>
        <source>What attention sees across segments</source>
        <translation>Was Attention über Segmente hinweg sieht</translation>
    </message>
    <message>
        <source>Decoded</source>
        <translation>Dekodiert</translation>
    </message>
    <message>
        <source>Tokens decoded after each text</source>
        <translation>Token, die nach jedem Text dekodiert werden</translation>
    </message>
    <message>
        <source> tokens</source>
        <translation> Token</translation>
    </message>
    <message>
        <source>Repeats</source>
        <translation>Wiederholungen</translation>
    </message>
    <message>
        <source>Repetitions of each measurement. By length: 5 up to 2048 tokens, 3 up to 8192, 1 above</source>
        <translation>Wiederholungen jeder Messung. Nach Länge: 5 bis 2048 Token, 3 bis 8192, darüber 1</translation>
    </message>
    <message>
        <source>by length</source>
        <translation>nach Länge</translation>
    </message>
    <message>
        <source>Peer</source>
        <translation>Vergleichsprogramm</translation>
    </message>
    <message>
        <source>Python of a virtual environment with transformers, which is measured in the same rounds. llama-bench is measured too if it is on PATH and the model is a GGUF file</source>
        <translation>Python einer virtuellen Umgebung mit transformers, das in denselben Runden gemessen wird. Auch llama-bench wird gemessen, wenn es im PATH liegt und das Modell eine GGUF-Datei ist</translation>
    </message>
    <message>
        <source>none, or venv/bin/python</source>
        <translation>keines, oder venv/bin/python</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>Folder for bench.json and bench.csv; a stopped bench writes them too</source>
        <translation>Ordner für bench.json und bench.csv; auch ein angehaltener Benchmark schreibt sie</translation>
    </message>
    <message>
        <source>none: results stay in this dialog</source>
        <translation>keiner: Ergebnisse bleiben in diesem Dialog</translation>
    </message>
    <message>
        <source>New folder for the bench</source>
        <translation>Neuer Ordner für den Benchmark</translation>
    </message>
    <message>
        <source>no open model</source>
        <translation>kein offenes Modell</translation>
    </message>
    <message>
        <source>%1 (open)</source>
        <translation>%1 (offen)</translation>
    </message>
    <message>
        <source>%1, random weights</source>
        <translation>%1, zufällige Gewichte</translation>
    </message>
    <message>
        <source>Peer: %1 is not an executable program</source>
        <translation>Vergleichsprogramm: %1 ist kein ausführbares Programm</translation>
    </message>
    <message>
        <source>Folder: %1 already contains a bench; choose a new folder</source>
        <translation>Ordner: %1 enthält schon einen Benchmark; wählen Sie einen neuen Ordner</translation>
    </message>
    <message>
        <source>Folder: %1 is a file</source>
        <translation>Ordner: %1 ist eine Datei</translation>
    </message>
    <message>
        <source>Model: no model is open; open one, or choose a shape</source>
        <translation>Modell: kein Modell ist offen; öffnen Sie eines, oder wählen Sie eine Form</translation>
    </message>
    <message>
        <source>Model: %1</source>
        <translation>Modell: %1</translation>
    </message>
    <message>
        <source>Contexts: enter at least one length, for example 512, 2048</source>
        <translation>Kontexte: geben Sie mindestens eine Länge an, zum Beispiel 512, 2048</translation>
    </message>
    <message>
        <source>Contexts: enter whole numbers of tokens from 1 to %L1</source>
        <translation>Kontexte: geben Sie ganze Zahlen von Token von 1 bis %L1 an</translation>
    </message>
    <message>
        <source>Work: tick at least one kind</source>
        <translation>Arbeit: haken Sie mindestens eine Art an</translation>
    </message>
    <message>
        <source>Policies: tick at least one</source>
        <translation>Verfahren: haken Sie mindestens eines an</translation>
    </message>
    <message>
        <source>Random weights are measured with the settings of their shape</source>
        <translation>Zufällige Gewichte werden mit den Einstellungen ihrer Form gemessen</translation>
    </message>
    <message>
        <source>No model is open</source>
        <translation>Kein Modell ist offen</translation>
    </message>
    <message>
        <source>The window has the model&apos;s own settings</source>
        <translation>Das Fenster hat die eigenen Einstellungen des Modells</translation>
    </message>
</context>
<context>
    <name>BenchPlots</name>
    <message>
        <source>Prefill (s)</source>
        <translation>Prefill (s)</translation>
    </message>
    <message>
        <source>Decoded token (ms)</source>
        <translation>Dekodiertes Token (ms)</translation>
    </message>
    <message>
        <source>Training step (s)</source>
        <translation>Trainingsschritt (s)</translation>
    </message>
    <message>
        <source>Sample (tokens)</source>
        <translation>Sample (Token)</translation>
    </message>
    <message>
        <source>Context (tokens)</source>
        <translation>Kontext (Token)</translation>
    </message>
    <message>
        <source>Prefill</source>
        <translation>Prefill</translation>
    </message>
    <message>
        <source>Decoding</source>
        <translation>Dekodieren</translation>
    </message>
    <message>
        <source>Training step</source>
        <translation>Trainingsschritt</translation>
    </message>
    <message>
        <source>%1, recomputed</source>
        <translation>%1, neu berechnet</translation>
    </message>
    <message>
        <source>Model: %1, weights %2
Machine: %3, %4 threads
Measured: %5
Command: %6</source>
        <translation>Modell: %1, Gewichte %2
Rechner: %3, %4 Threads
Gemessen: %5
Befehl: %6</translation>
    </message>
    <message>
        <source>%1: time by length</source>
        <translation>%1: Zeit nach Länge</translation>
    </message>
    <message>
        <source>%1: memory by length</source>
        <translation>%1: Speicher nach Länge</translation>
    </message>
    <message>
        <source>%1: memory by time</source>
        <translation>%1: Speicher nach Zeit</translation>
    </message>
    <message>
        <source>Peak memory (GB)</source>
        <translation>Speicherspitze (GB)</translation>
    </message>
    <message>
        <source>Nothing was measured</source>
        <translation>Nichts wurde gemessen</translation>
    </message>
    <message>
        <source>No memory was measured</source>
        <translation>Kein Speicher wurde gemessen</translation>
    </message>
</context>
<context>
    <name>BenchProcess</name>
    <message>
        <source>what the bench printed</source>
        <translation>was der Benchmark ausgab</translation>
    </message>
    <message>
        <source>bench</source>
        <translation>Benchmark</translation>
    </message>
</context>
<context>
    <name>BenchResults</name>
    <message>
        <source>%1, %2 on %3, %4 threads of %5 cores · %6</source>
        <translation>%1, %2 auf %3, %4 Threads von %5 Kernen · %6</translation>
    </message>
    <message>
        <source>Stopped: the rest was not measured</source>
        <translation>Angehalten: der Rest wurde nicht gemessen</translation>
    </message>
    <message>
        <source>Not measured: %1, %2: %3</source>
        <translation>Nicht gemessen: %1, %2: %3</translation>
    </message>
    <message>
        <source>Nothing has been measured yet. Start measures, and Open shows an earlier bench.</source>
        <translation>Noch ist nichts gemessen. „Starten“ misst, und „Öffnen“ zeigt einen früheren Benchmark.</translation>
    </message>
    <message>
        <source>Measurements</source>
        <translation>Messungen</translation>
    </message>
    <message>
        <source>What was not measured</source>
        <translation>Was nicht gemessen wurde</translation>
    </message>
    <message>
        <source>Work shown in the plot</source>
        <translation>Arbeit, die das Diagramm zeigt</translation>
    </message>
    <message>
        <source>Memory by length</source>
        <translation>Speicher nach Länge</translation>
    </message>
    <message>
        <source>Memory by time</source>
        <translation>Speicher nach Zeit</translation>
    </message>
    <message>
        <source>Horizontal axis of the memory plot</source>
        <translation>Waagerechte Achse des Speicherdiagramms</translation>
    </message>
    <message>
        <source>Shares are relative to %1 GFLOP/s (fastest matmul) and %2 GB/s (memory bandwidth)</source>
        <translation>Anteile beziehen sich auf %1 GFLOP/s (schnellste Matrixmultiplikation) und %2 GB/s (Speicherbandbreite)</translation>
    </message>
</context>
<context>
    <name>BenchTable</name>
    <message>
        <source>Median of %1 repetitions, from %2 to %3</source>
        <translation>Median von %1 Wiederholungen, von %2 bis %3</translation>
    </message>
    <message>
        <source>Bytes of weights and of visible keys and values read per second, as a share of memory bandwidth</source>
        <translation>Je Sekunde gelesene Bytes der Gewichte und der sichtbaren Keys und Values, als Anteil der Speicherbandbreite</translation>
    </message>
    <message>
        <source>FLOPs of the definition per second, as a share of the fastest matmul</source>
        <translation>FLOPs der Definition je Sekunde, als Anteil der schnellsten Matrixmultiplikation</translation>
    </message>
    <message>
        <source>predicted: %1</source>
        <translation>vorhergesagt: %1</translation>
    </message>
    <message>
        <source>Work</source>
        <translation>Arbeit</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>n</source>
        <translation>n</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Tokens/s</source>
        <translation>Token/s</translation>
    </message>
    <message>
        <source>Peak memory</source>
        <translation>Speicherspitze</translation>
    </message>
    <message>
        <source>Deviation</source>
        <translation>Abweichung</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>Programm</translation>
    </message>
    <message>
        <source>Share of peak</source>
        <translation>Anteil am Höchstwert</translation>
    </message>
</context>
<context>
    <name>BookmarksModel</name>
    <message>
        <source>Bookmark</source>
        <translation>Lesezeichen</translation>
    </message>
    <message>
        <source>Segment</source>
        <translation>Segment</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>Head</source>
        <translation>Kopf</translation>
    </message>
    <message>
        <source>Position</source>
        <translation>Position</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>It belongs to the run %1: open that run first</source>
        <translation>Gehört zum Lauf %1: Öffnen Sie zuerst diesen Lauf</translation>
    </message>
</context>
<context>
    <name>CallRelay</name>
    <message>
        <source>no model is open</source>
        <translation>kein Modell ist offen</translation>
    </message>
    <message>
        <source>Open a model first.</source>
        <translation>Öffnen Sie zuerst ein Modell.</translation>
    </message>
    <message>
        <source>the run was made with the weights %1, and the open model has %2</source>
        <translation>der Lauf entstand mit den Gewichten %1, und das offene Modell hat %2</translation>
    </message>
    <message>
        <source>Open the run&apos;s model, or run the text again.</source>
        <translation>Öffnen Sie das Modell des Laufs, oder führen Sie den Text noch einmal aus.</translation>
    </message>
</context>
<context>
    <name>CarryPanel</name>
    <message>
        <source>Carried tail</source>
        <translation>Übertrag</translation>
    </message>
    <message>
        <source>Key norm ‖K‖</source>
        <translation>Norm der Keys ‖K‖</translation>
    </message>
    <message>
        <source>Value norm ‖V‖</source>
        <translation>Norm der Values ‖V‖</translation>
    </message>
    <message>
        <source>Drift ‖K − K′‖ / ‖K′‖</source>
        <translation>Drift ‖K − K′‖ / ‖K′‖</translation>
    </message>
    <message>
        <source>What the map shows</source>
        <translation>Was die Karte zeigt</translation>
    </message>
    <message>
        <source>Against the same slot of the previous segment&apos;s tail</source>
        <translation>Gegen denselben Platz im Übertrag des vorigen Segments</translation>
    </message>
    <message>
        <source>Carried slot (token)</source>
        <translation>Platz im Übertrag (Token)</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>This run carries nothing: its carry length M is 0</source>
        <translation>Dieser Lauf überträgt nichts: Die Länge M seines Übertrags ist 0</translation>
    </message>
    <message>
        <source>Attention on the prefix, by head</source>
        <translation>Attention auf das Präfix, nach Kopf</translation>
    </message>
    <message>
        <source>Segment %1 has no prefix</source>
        <translation>Segment %1 hat kein Präfix</translation>
    </message>
    <message>
        <source>Query head</source>
        <translation>Query-Kopf</translation>
    </message>
    <message>
        <source>Attention of segment %1 on its prefix, by head</source>
        <translation>Attention von Segment %1 auf sein Präfix, nach Kopf</translation>
    </message>
    <message>
        <source>Share of the attention</source>
        <translation>Anteil an der Attention</translation>
    </message>
    <message>
        <source>no prefix: it sees only its segment</source>
        <translation>kein Präfix: sieht nur sein Segment</translation>
    </message>
    <message>
        <source>Share of each head&apos;s attention on its prefix: sinks, carry, retrieved tokens</source>
        <translation>Anteil der Attention jedes Kopfes, der auf seinem Präfix liegt: Sinks, Übertrag, abgerufene Token</translation>
    </message>
    <message>
        <source>segment %1 · layer %2 · head %3</source>
        <translation>Segment %1 · Schicht %2 · Kopf %3</translation>
    </message>
    <message>
        <source>%1 % on its prefix: %2</source>
        <translation>%1 % auf seinem Präfix: %2</translation>
    </message>
    <message>
        <source>%1 % on retrieved tokens</source>
        <translation>%1 % auf abgerufenen Token</translation>
    </message>
    <message>
        <source>Segment 0 has no previous carry to compare with: select a later segment</source>
        <translation>Segment 0 hat keinen früheren Übertrag zum Vergleichen: Wählen Sie ein späteres Segment</translation>
    </message>
    <message>
        <source>The policy %1 has no carry</source>
        <translation>Das Verfahren %1 hat keinen Übertrag</translation>
    </message>
    <message>
        <source>This run has no map of segment %1: run the text again, or on the command line with --carry-maps</source>
        <translation>Dieser Lauf hat keine Karte von Segment %1: Führen Sie den Text noch einmal aus, auf der Kommandozeile mit --carry-maps</translation>
    </message>
    <message>
        <source>Carry left by segment %1: %2</source>
        <translation>Übertrag von Segment %1: %2</translation>
    </message>
    <message>
        <source>layer %1, window of %2 tokens</source>
        <translation>Schicht %1, Fenster von %2 Token</translation>
    </message>
    <message>
        <source>layer %1</source>
        <translation>Schicht %1</translation>
    </message>
    <message>
        <source>%1 · position %2
no value: the layer does not carry it</source>
        <translation>%1 · Position %2
kein Wert: die Schicht überträgt diesen Platz nicht</translation>
    </message>
    <message>
        <source>%1 · slot %2 · position %3
%4: %5
%6</source>
        <translation>%1 · Platz %2 · Position %3
%4: %5
%6</translation>
    </message>
</context>
<context>
    <name>CommandBox</name>
    <message>
        <source>Equivalent command</source>
        <translation>Entsprechender Befehl</translation>
    </message>
    <message>
        <source>Command line</source>
        <translation>Kommandozeile</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Copy the command line</source>
        <translation>Die Kommandozeile kopieren</translation>
    </message>
    <message>
        <source>The command appears when the form has no errors.</source>
        <translation>Der Befehl erscheint, sobald das Formular keine Fehler hat.</translation>
    </message>
</context>
<context>
    <name>CommandDialog</name>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Starten</translation>
    </message>
    <message>
        <source>Run it in a separate process</source>
        <translation>In einem eigenen Prozess ausführen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Not ready: %1</source>
        <translation>Nicht bereit: %1</translation>
    </message>
</context>
<context>
    <name>CommandPalette</name>
    <message>
        <source>Commands</source>
        <translation>Befehle</translation>
    </message>
    <message>
        <source>A command, a view, “segment 12”, “token 5000”, “layer 3 head 1” …</source>
        <translation>Ein Befehl, eine Ansicht, „Segment 12“, „Token 5000“, „Schicht 3 Kopf 1“ …</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>Befehl</translation>
    </message>
    <message>
        <source>Matching commands</source>
        <translation>Passende Befehle</translation>
    </message>
    <message>
        <source>No command matches “%1”</source>
        <translation>Kein Befehl passt zu „%1“</translation>
    </message>
</context>
<context>
    <name>CommandProcess</name>
    <message>
        <source>can&apos;t be started: %1</source>
        <translation>lässt sich nicht starten: %1</translation>
    </message>
    <message>
        <source>Install the package again; in a checkout, ./lab build builds it.</source>
        <translation>Installieren Sie das Paket neu; in einer Arbeitskopie baut es ./lab build.</translation>
    </message>
    <message>
        <source>its process was ended by signal %1</source>
        <translation>der Prozess wurde durch Signal %1 beendet</translation>
    </message>
    <message>
        <source>The system ends processes when memory runs out: choose shorter contexts or a smaller model.</source>
        <translation>Das System beendet Prozesse, wenn der Speicher ausgeht: Wählen Sie kürzere Kontexte oder ein kleineres Modell.</translation>
    </message>
    <message>
        <source>Start the command line in a terminal to see more.</source>
        <translation>Starten Sie die Kommandozeile in einem Terminal, um mehr zu sehen.</translation>
    </message>
    <message>
        <source>it ended with code %1</source>
        <translation>er endete mit Code %1</translation>
    </message>
</context>
<context>
    <name>CompareLoss</name>
    <message>
        <source>Loss of A − loss of B, by segment</source>
        <translation>Verlust von A − Verlust von B, nach Segment</translation>
    </message>
    <message>
        <source>Segment</source>
        <translation>Segment</translation>
    </message>
    <message>
        <source>Δ (nats)</source>
        <translation>Δ (nat)</translation>
    </message>
    <message>
        <source>B predicts better</source>
        <translation>B sagt besser voraus</translation>
    </message>
    <message>
        <source>A predicts better</source>
        <translation>A sagt besser voraus</translation>
    </message>
    <message>
        <source>cumulative</source>
        <translation>kumulativ</translation>
    </message>
    <message>
        <source>Token by token</source>
        <translation>Token für Token</translation>
    </message>
    <message>
        <source>Position (token)</source>
        <translation>Position (Token)</translation>
    </message>
    <message>
        <source>Δ loss</source>
        <translation>Δ Verlust</translation>
    </message>
    <message>
        <source>No token is predicted by both runs: %1</source>
        <translation>Kein Token wird von beiden Läufen vorhergesagt: %1</translation>
    </message>
</context>
<context>
    <name>CompareMap</name>
    <message>
        <source>not retrieved</source>
        <translation>nicht abgerufen</translation>
    </message>
    <message>
        <source>Segments × positions, one head</source>
        <translation>Segmente × Positionen, ein Kopf</translation>
    </message>
    <message>
        <source>Heads × positions, one segment</source>
        <translation>Köpfe × Positionen, ein Segment</translation>
    </message>
    <message>
        <source>Rows of the map</source>
        <translation>Zeilen der Karte</translation>
    </message>
    <message>
        <source>Source position (token)</source>
        <translation>Quellposition (Token)</translation>
    </message>
    <message>
        <source>Query segment</source>
        <translation>Query-Segment</translation>
    </message>
    <message>
        <source>Layer, head</source>
        <translation>Schicht, Kopf</translation>
    </message>
    <message>
        <source>A − B: what layer %1, head %2 retrieves</source>
        <translation>A − B: was Schicht %1, Kopf %2 abruft</translation>
    </message>
    <message>
        <source>A − B: what segment %1 retrieves</source>
        <translation>A − B: was Segment %1 abruft</translation>
    </message>
    <message>
        <source>Hits of A − hits of B</source>
        <translation>Treffer von A − Treffer von B</translation>
    </message>
    <message>
        <source>Hits of A − hits of B, per %1 positions</source>
        <translation>Treffer von A − Treffer von B, je %1 Positionen</translation>
    </message>
    <message>
        <source>segment %1 · layer %2 · head %3</source>
        <translation>Segment %1 · Schicht %2 · Kopf %3</translation>
    </message>
    <message>
        <source>%1 positions per cell: zoom in</source>
        <translation>%1 Positionen je Zelle: vergrößern Sie</translation>
    </message>
    <message>
        <source>position %1 · A: %2 · B: %3</source>
        <translation>Position %1 · A: %2 · B: %3</translation>
    </message>
    <message>
        <source>The runs do not both retrieve here: choose another head or segment</source>
        <translation>Hier rufen nicht beide Läufe ab: Wählen Sie einen anderen Kopf oder ein anderes Segment</translation>
    </message>
</context>
<context>
    <name>CompareOverlap</name>
    <message>
        <source>Hits in common, by segment</source>
        <translation>Gemeinsame Treffer, nach Segment</translation>
    </message>
    <message>
        <source>Segment</source>
        <translation>Segment</translation>
    </message>
    <message>
        <source>Jaccard of the hit sets</source>
        <translation>Jaccard der Treffermengen</translation>
    </message>
    <message>
        <source>all heads</source>
        <translation>alle Köpfe</translation>
    </message>
    <message>
        <source>selected head</source>
        <translation>gewählter Kopf</translation>
    </message>
    <message>
        <source>By head</source>
        <translation>Nach Kopf</translation>
    </message>
    <message>
        <source>Head</source>
        <translation>Kopf</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>layer %1, head %2</source>
        <translation>Schicht %1, Kopf %2</translation>
    </message>
    <message>
        <source>Jaccard</source>
        <translation>Jaccard</translation>
    </message>
</context>
<context>
    <name>ComparePage</name>
    <message>
        <source>Neither run has retrieved anything</source>
        <translation>Keiner der Läufe hat etwas abgerufen</translation>
    </message>
    <message>
        <source>Run B has no hits to compare with (policy %1). The losses can be compared.</source>
        <translation>Lauf B hat keine Treffer zum Vergleichen (Verfahren %1). Die Verluste lassen sich vergleichen.</translation>
    </message>
    <message>
        <source>This run has no hits to compare with (policy %1). The losses can be compared.</source>
        <translation>Dieser Lauf hat keine Treffer zum Vergleichen (Verfahren %1). Die Verluste lassen sich vergleichen.</translation>
    </message>
    <message>
        <source>The runs have no segments that start at the same token and retrieve with the same heads</source>
        <translation>Die Läufe haben keine Segmente, die am selben Token beginnen und mit denselben Köpfen abrufen</translation>
    </message>
    <message>
        <source>The models have different vocabularies: their retrieved tokens cannot be compared</source>
        <translation>Die Modelle haben verschiedene Vokabulare: Ihre abgerufenen Token lassen sich nicht vergleichen</translation>
    </message>
</context>
<context>
    <name>ComparePanel</name>
    <message>
        <source>Compare</source>
        <translation>Vergleich</translation>
    </message>
    <message>
        <source>Comparison</source>
        <translation>Vergleich</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>Übersicht</translation>
    </message>
    <message>
        <source>Hits, A − B</source>
        <translation>Treffer, A − B</translation>
    </message>
    <message>
        <source>Overlap</source>
        <translation>Überschneidung</translation>
    </message>
    <message>
        <source>Δ loss</source>
        <translation>Δ Verlust</translation>
    </message>
    <message>
        <source>Pin this run as B</source>
        <translation>Diesen Lauf als B anheften</translation>
    </message>
    <message>
        <source>Keep the current run to compare later runs with it</source>
        <translation>Den aktuellen Lauf behalten, um spätere Läufe mit ihm zu vergleichen</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>Lösen</translation>
    </message>
    <message>
        <source>Unpin run B and free its memory</source>
        <translation>Lauf B lösen und seinen Speicher freigeben</translation>
    </message>
    <message>
        <source>Runs A and B side by side</source>
        <translation>Läufe A und B nebeneinander</translation>
    </message>
    <message>
        <source>no run yet</source>
        <translation>noch kein Lauf</translation>
    </message>
    <message>
        <source>no run is pinned</source>
        <translation>kein Lauf ist angeheftet</translation>
    </message>
    <message>
        <source>To compare two runs, pin one as B, change a setting, the grouping, the policy, the model or the text, and run again. Or tick two runs in Runs.</source>
        <translation>Um zwei Läufe zu vergleichen, heften Sie einen als B an, ändern Sie eine Einstellung, die Gruppierung, das Verfahren, das Modell oder den Text, und starten Sie einen neuen Lauf. Oder haken Sie zwei Läufe in „Läufe“ an.</translation>
    </message>
</context>
<context>
    <name>ComparedLosses</name>
    <message>
        <source>No comparison has results on both sides</source>
        <translation>Kein Vergleich hat Ergebnisse auf beiden Seiten</translation>
    </message>
    <message>
        <source>Comparisons (below 0: the first has the lower loss; bars: 95 %)</source>
        <translation>Vergleiche (unter 0: der erste hat den niedrigeren Verlust; Balken: 95 %)</translation>
    </message>
    <message>
        <source>Length (tokens)</source>
        <translation>Länge (Token)</translation>
    </message>
    <message>
        <source>Difference of the loss (nats)</source>
        <translation>Differenz des Verlusts (nat)</translation>
    </message>
    <message>
        <source>%1
%2 tokens: %3 nats (%4 to %5), lower on %6 of %7 books</source>
        <translation>%1
%2 Token: %3 nat (%4 bis %5), niedriger bei %6 von %7 Büchern</translation>
    </message>
    <message>
        <source>Δ loss at %1 tokens (nats)</source>
        <translation>Δ Verlust bei %1 Token (nat)</translation>
    </message>
    <message>
        <source>%1
%2 tokens: %3 nats, lower on %4 of %5 books</source>
        <translation>%1
%2 Token: %3 Nat, niedriger bei %4 von %5 Büchern</translation>
    </message>
</context>
<context>
    <name>ComparisonTable</name>
    <message>
        <source>Quantity, or setting that differs</source>
        <translation>Größe, oder abweichende Einstellung</translation>
    </message>
    <message>
        <source>A: this run</source>
        <translation>A: dieser Lauf</translation>
    </message>
    <message>
        <source>B: pinned</source>
        <translation>B: angeheftet</translation>
    </message>
    <message>
        <source>A − B</source>
        <translation>A − B</translation>
    </message>
</context>
<context>
    <name>ConfigPanel</name>
    <message>
        <source> tokens</source>
        <translation> Token</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Problem with the settings</source>
        <translation>Problem mit den Einstellungen</translation>
    </message>
    <message>
        <source>Device that computes; auto: the GPU if there is one. Reloads the model.</source>
        <translation>Gerät, das rechnet; auto: die GPU, wenn es eine gibt. Lädt das Modell neu.</translation>
    </message>
    <message>
        <source>Number of tokens to run; 0: the whole text</source>
        <translation>Zahl der Token, die ausgeführt werden; 0: der ganze Text</translation>
    </message>
    <message>
        <source>whole text</source>
        <translation>ganzer Text</translation>
    </message>
    <message>
        <source>Policy</source>
        <translation>Verfahren</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>by R</source>
        <translation>nach R</translation>
    </message>
    <message>
        <source>the model&apos;s</source>
        <translation>wie im Modell</translation>
    </message>
    <message>
        <source>Factor of the overriding scaling, at least 1</source>
        <translation>Faktor der Skalierung, die die des Modells ersetzt; mindestens 1</translation>
    </message>
    <message>
        <source>RoPE factor</source>
        <translation>RoPE-Faktor</translation>
    </message>
    <message>
        <source>settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>dtype of weights and activations; auto: the faster one on this machine; q8: 8-bit weights, for less memory and faster generation. Reloads the model.</source>
        <translation>dtype von Gewichten und Aktivierungen; auto: der schnellere auf diesem Rechner; q8: 8-Bit-Gewichte, für weniger Speicher und schnelleres Generieren. Lädt das Modell neu.</translation>
    </message>
    <message>
        <source>%1 is not a number</source>
        <translation>%1 ist keine Zahl</translation>
    </message>
    <message>
        <source>RoPE factor is not a number</source>
        <translation>Der RoPE-Faktor ist keine Zahl</translation>
    </message>
    <message>
        <source>such as 18.6, 15.6</source>
        <translation>etwa 18.6, 15.6</translation>
    </message>
    <message>
        <source>Search heads are not a list of layers and heads such as 18.6, 15.6</source>
        <translation>Die Suchköpfe sind keine Liste von Schichten und Köpfen wie 18.6, 15.6</translation>
    </message>
    <message>
        <source>Sets all settings below and the grouping (undo: Ctrl+Z)</source>
        <translation>Setzt alle Einstellungen darunter und die Gruppierung (rückgängig: Strg+Z)</translation>
    </message>
    <message>
        <source>Preset</source>
        <translation>Vorlage</translation>
    </message>
    <message>
        <source>preset “%1”</source>
        <translation>Vorlage „%1“</translation>
    </message>
    <message>
        <source>Custom</source>
        <translation>eigene</translation>
    </message>
    <message>
        <source>Precision (dtype)</source>
        <translation>Genauigkeit (dtype)</translation>
    </message>
    <message>
        <source>Tokens to run</source>
        <translation>Token des Laufs</translation>
    </message>
    <message>
        <source>Tokens to run is not a number</source>
        <translation>Token des Laufs: keine Zahl</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>Importieren …</translation>
    </message>
    <message>
        <source>Import head patterns: MInference&apos;s JSON</source>
        <translation>Muster der Köpfe importieren: JSON von MInference</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>Leeren</translation>
    </message>
    <message>
        <source>No head patterns: heads that are not listed have 1000 columns and 6096 diagonals</source>
        <translation>Keine Muster der Köpfe: Köpfe, die nicht aufgeführt sind, haben 1000 Spalten und 6096 Diagonalen</translation>
    </message>
    <message>
        <source>no head patterns</source>
        <translation>keine Muster der Köpfe</translation>
    </message>
    <message>
        <source>policy</source>
        <translation>Verfahren</translation>
    </message>
    <message>
        <source>dtype</source>
        <translation>dtype</translation>
    </message>
    <message>
        <source>device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>tokens to run</source>
        <translation>Token des Laufs</translation>
    </message>
</context>
<context>
    <name>ContextRibbon</name>
    <message>
        <source>Loss, nats</source>
        <translation>Verlust, nat</translation>
    </message>
    <message>
        <source>PPL</source>
        <translation>PPL</translation>
    </message>
    <message>
        <source>Carry norm</source>
        <translation>Norm des Übertrags</translation>
    </message>
    <message>
        <source>Hits</source>
        <translation>Treffer</translation>
    </message>
    <message>
        <source>Quantity that the segments&apos; colour shows</source>
        <translation>Größe, die die Farbe der Segmente zeigt</translation>
    </message>
    <message>
        <source>Ribbon value</source>
        <translation>Wert im Band</translation>
    </message>
    <message>
        <source>From purple to yellow</source>
        <translation>Von Violett nach Gelb</translation>
    </message>
    <message>
        <source>Δ loss, A − B</source>
        <translation>Δ Verlust, A − B</translation>
    </message>
    <message>
        <source>Views show only these segments. Click to show all segments again (Esc in the ribbon).</source>
        <translation>Die Ansichten zeigen nur diese Segmente. Klicken Sie, um wieder alle Segmente zu zeigen (Esc im Band).</translation>
    </message>
    <message>
        <source>From blue (this run predicts better) to orange (the pinned run B does)</source>
        <translation>Von Blau (dieser Lauf sagt besser voraus) nach Orange (der angeheftete Lauf B)</translation>
    </message>
    <message>
        <source>no run pinned</source>
        <translation>kein Lauf angeheftet</translation>
    </message>
    <message>
        <source>%1 – %2  ✕</source>
        <translation>%1 – %2  ✕</translation>
    </message>
</context>
<context>
    <name>ContinueDialog</name>
    <message>
        <source>Continue an experiment</source>
        <translation>Ein Experiment fortsetzen</translation>
    </message>
    <message>
        <source>This command was recorded when the experiment was started. It runs the cells that are not done.</source>
        <translation>Dieser Befehl wurde aufgezeichnet, als das Experiment gestartet wurde. Er führt die Zellen aus, die nicht fertig sind.</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Run it in a separate process</source>
        <translation>In einem eigenen Prozess ausführen</translation>
    </message>
    <message>
        <source>Change…</source>
        <translation>Ändern…</translation>
    </message>
    <message>
        <source>Another plan, model, texts or recipes</source>
        <translation>Ein anderer Plan, ein anderes Modell, andere Texte oder Rezepte</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
</context>
<context>
    <name>DistancePanel</name>
    <message>
        <source>Hit distances</source>
        <translation>Trefferabstände</translation>
    </message>
    <message>
        <source>Distance (tokens, in bins from n to 2n − 1)</source>
        <translation>Abstand (Token, in Klassen von n bis 2n − 1)</translation>
    </message>
    <message>
        <source>Hit distances in this run</source>
        <translation>Trefferabstände in diesem Lauf</translation>
    </message>
    <message>
        <source>Layer, head</source>
        <translation>Schicht, Kopf</translation>
    </message>
    <message>
        <source>Share of its hits (%)</source>
        <translation>Anteil an seinen Treffern (%)</translation>
    </message>
    <message>
        <source>Similarity of each head&apos;s hit distances across the ticked runs</source>
        <translation>Ähnlichkeit der Trefferabstände jedes Kopfes über die angehakten Läufe</translation>
    </message>
    <message>
        <source>Head</source>
        <translation>Kopf</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>Ticked runs are compared</source>
        <translation>Angehakte Läufe werden verglichen</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Remove the selected run from the list</source>
        <translation>Den gewählten Lauf aus der Liste entfernen</translation>
    </message>
    <message>
        <source>Selected head, by run</source>
        <translation>Gewählter Kopf, nach Lauf</translation>
    </message>
    <message>
        <source>All heads, by run</source>
        <translation>Alle Köpfe, nach Lauf</translation>
    </message>
    <message>
        <source>Consistency of heads</source>
        <translation>Beständigkeit der Köpfe</translation>
    </message>
    <message>
        <source>Heads that are compared across the runs</source>
        <translation>Köpfe, die über die Läufe verglichen werden</translation>
    </message>
    <message>
        <source>Nothing has been retrieved</source>
        <translation>Nichts wurde abgerufen</translation>
    </message>
    <message>
        <source>Share of hits (%)</source>
        <translation>Anteil der Treffer (%)</translation>
    </message>
    <message>
        <source>All heads</source>
        <translation>Alle Köpfe</translation>
    </message>
    <message>
        <source>Layer %1, head %2</source>
        <translation>Schicht %1, Kopf %2</translation>
    </message>
    <message>
        <source>Finished runs are kept here, to compare heads across texts</source>
        <translation>Fertige Läufe bleiben hier, um Köpfe über mehrere Texte zu vergleichen</translation>
    </message>
    <message>
        <source>No ticked run retrieves with layer %1, head %2</source>
        <translation>Kein angehakter Lauf ruft mit Schicht %1, Kopf %2 ab</translation>
    </message>
    <message>
        <source>Needs two ticked runs that retrieve with the same heads</source>
        <translation>Braucht zwei angehakte Läufe, die mit denselben Köpfen abrufen</translation>
    </message>
    <message>
        <source>Shared mass</source>
        <translation>Gemeinsame Masse</translation>
    </message>
    <message>
        <source>layer %1, head %2: %L3 hits</source>
        <translation>Schicht %1, Kopf %2: %L3 Treffer</translation>
    </message>
    <message>
        <source>%L1 of them %2 to %3 tokens back (%4 %)</source>
        <translation>%L1 davon %2 bis %3 Token zurück (%4 %)</translation>
    </message>
    <message>
        <source>median about %1</source>
        <translation>Median etwa %1</translation>
    </message>
    <message>
        <source>Hit distances by run</source>
        <translation>Trefferabstände nach Lauf</translation>
    </message>
</context>
<context>
    <name>DockTabs</name>
    <message>
        <source>Float</source>
        <translation>Als Fenster lösen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
</context>
<context>
    <name>DocumentController</name>
    <message>
        <source>The document&apos;s state was cancelled</source>
        <translation>Der Zustand des Dokuments wurde abgebrochen</translation>
    </message>
    <message>
        <source>Written on the engine&apos;s machine: %1</source>
        <translation>Auf dem Rechner des Rechenkerns geschrieben: %1</translation>
    </message>
    <message>
        <source>the text was read under %1, and %2 is chosen</source>
        <translation>der Text wurde unter %1 gelesen, und %2 ist gewählt</translation>
    </message>
    <message>
        <source>no model is open</source>
        <translation>kein Modell ist offen</translation>
    </message>
    <message>
        <source>document state</source>
        <translation>Zustand des Dokuments</translation>
    </message>
    <message>
        <source>Run the text, and wait for its end.</source>
        <translation>Führen Sie den Text aus, und warten Sie das Ende ab.</translation>
    </message>
    <message>
        <source>a document&apos;s state is being written</source>
        <translation>ein Zustand eines Dokuments wird geschrieben</translation>
    </message>
    <message>
        <source>Open its model first, or wait for the engine.</source>
        <translation>Öffnen Sie zuerst sein Modell, oder warten Sie auf den Rechenkern.</translation>
    </message>
    <message>
        <source>a document&apos;s state is being read</source>
        <translation>ein Zustand eines Dokuments wird gelesen</translation>
    </message>
    <message>
        <source>Document state closed: %1</source>
        <translation>Zustand des Dokuments geschlossen: %1</translation>
    </message>
    <message>
        <source>was read under the policy %1, and %2 is chosen</source>
        <translation>wurde unter dem Verfahren %1 gelesen, und %2 ist gewählt</translation>
    </message>
    <message>
        <source>Choose the policy %1, or read the text again.</source>
        <translation>Wählen Sie das Verfahren %1, oder lesen Sie den Text noch einmal.</translation>
    </message>
    <message>
        <source>Writing %1</source>
        <translation>Schreibt %1</translation>
    </message>
    <message>
        <source>Reading %1</source>
        <translation>Liest %1</translation>
    </message>
</context>
<context>
    <name>EditForm</name>
    <message>
        <source>C = ∅: local heads see only their segment</source>
        <translation>C = ∅: Lokale Köpfe sehen nur ihr Segment</translation>
    </message>
    <message>
        <source>Prefix: as retrieved</source>
        <translation>Präfix: wie abgerufen</translation>
    </message>
    <message>
        <source>Prefix: none</source>
        <translation>Präfix: keines</translation>
    </message>
    <message>
        <source>Prefix: random</source>
        <translation>Präfix: zufällig</translation>
    </message>
    <message>
        <source>Prefix: most recent</source>
        <translation>Präfix: jüngste</translation>
    </message>
    <message>
        <source>Prefix: constant</source>
        <translation>Präfix: konstant</translation>
    </message>
    <message>
        <source>Prefix: sinks + recent</source>
        <translation>Präfix: Sinks + jüngste</translation>
    </message>
    <message>
        <source>The text&apos;s first R positions, the same for every segment</source>
        <translation>Die ersten R Positionen des Textes, für jedes Segment dieselben</translation>
    </message>
    <message>
        <source>The text&apos;s first %1 positions and the most recent ones</source>
        <translation>Die ersten %1 Positionen des Textes und die jüngsten</translation>
    </message>
    <message>
        <source>Prefix: oracle</source>
        <translation>Präfix: Orakel</translation>
    </message>
    <message>
        <source>What long-range heads read</source>
        <translation>Was weitreichende Köpfe lesen</translation>
    </message>
    <message>
        <source>R positions of the pool, drawn for each head by the seed</source>
        <translation>R Positionen des Pools, für jeden Kopf mit dem Seed gezogen</translation>
    </message>
    <message>
        <source>The pool&apos;s last R positions</source>
        <translation>Die letzten R Positionen des Pools</translation>
    </message>
    <message>
        <source>The R positions with most of the head&apos;s attention over all searched positions</source>
        <translation>Die R Positionen mit der meisten Attention des Kopfes über alle durchsuchten Positionen</translation>
    </message>
    <message>
        <source>seed </source>
        <translation>Seed </translation>
    </message>
    <message>
        <source>Seed of the random prefix</source>
        <translation>Seed des zufälligen Präfixes</translation>
    </message>
    <message>
        <source>120 or 100-119; empty: the selection</source>
        <translation>120 oder 100-119; leer: die Auswahl</translation>
    </message>
    <message>
        <source>Remove the positions from the selected head&apos;s prefix</source>
        <translation>Die Positionen aus dem Präfix des gewählten Kopfes entfernen</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>Hinzufügen</translation>
    </message>
    <message>
        <source>Add the positions to the selected head&apos;s prefix. They replace padding first, then the hits with the lowest scores</source>
        <translation>Die Positionen dem Präfix des gewählten Kopfes hinzufügen. Sie ersetzen zuerst Auffüllung, dann die Treffer mit den niedrigsten Wertungen</translation>
    </message>
    <message>
        <source>Exclude these positions from retrieval in all heads, and search again</source>
        <translation>Diese Positionen vom Retrieval aller Köpfe ausschließen und noch einmal suchen</translation>
    </message>
    <message>
        <source>Delete removes a line</source>
        <translation>Entf entfernt eine Zeile</translation>
    </message>
    <message>
        <source>With the edited settings</source>
        <translation>Mit den geänderten Einstellungen</translation>
    </message>
    <message>
        <source>k, A, L_q, M, R, summaries, expansion and grouping as set in Settings and in the grid</source>
        <translation>k, A, L_q, M, R, Zusammenfassungen, Erweiterung und Gruppierung, wie in den Einstellungen und im Raster eingestellt</translation>
    </message>
    <message>
        <source>%1 layer %2, head %3: %4  %5</source>
        <translation>%1: Schicht %2, Kopf %3, %4  %5</translation>
    </message>
    <message>
        <source>as in the run</source>
        <translation>wie im Lauf</translation>
    </message>
    <message>
        <source>Edit them in Settings or the grid</source>
        <translation>In den Einstellungen oder im Raster zu ändern</translation>
    </message>
    <message>
        <source>“%1” is not a position: write 120 or 100-119</source>
        <translation>„%1“ ist keine Position: Schreiben Sie 120 oder 100-119</translation>
    </message>
    <message>
        <source>the seed is not a number</source>
        <translation>der Seed ist keine Zahl</translation>
    </message>
    <message>
        <source>Remove from this head</source>
        <translation>Aus diesem Kopf entfernen</translation>
    </message>
    <message>
        <source>Exclude from all heads</source>
        <translation>Für alle Köpfe ausschließen</translation>
    </message>
    <message>
        <source>Exclude %1 to %2 from all heads</source>
        <translation>Für alle Köpfe ausschließen: %1 bis %2</translation>
    </message>
    <message>
        <source>Slots and patches</source>
        <translation>Plätze und Patches</translation>
    </message>
    <message>
        <source>Patch the carry from B</source>
        <translation>Übertrag aus B einsetzen</translation>
    </message>
    <message>
        <source>Patch the output of layer %1, head %2 from B</source>
        <translation>Ausgabe von Schicht %1, Kopf %2 aus B einsetzen</translation>
    </message>
    <message>
        <source>what-ifs need a run under the policy segmented</source>
        <translation>Versuche brauchen einen Lauf mit dem Verfahren segmented</translation>
    </message>
    <message>
        <source>No carry</source>
        <translation>Ohne Übertrag</translation>
    </message>
    <message>
        <source>Positions to remove, add or exclude</source>
        <translation>Positionen zum Entfernen, Hinzufügen oder Ausschließen</translation>
    </message>
    <message>
        <source>No sinks</source>
        <translation>Ohne Sinks</translation>
    </message>
    <message>
        <source>No head reads the text&apos;s first tokens from the sinks</source>
        <translation>Kein Kopf liest die ersten Token des Textes aus den Sinks</translation>
    </message>
    <message>
        <source>Zero the output of layer %1, head %2</source>
        <translation>Ausgabe von Schicht %1, Kopf %2 auf null setzen</translation>
    </message>
    <message>
        <source>Remove from all readers</source>
        <translation>Bei allen Lesern entfernen</translation>
    </message>
</context>
<context>
    <name>EngineConnection</name>
    <message>
        <source>engine</source>
        <translation>Rechenkern</translation>
    </message>
    <message>
        <source>Stop it first, or wait for its end.</source>
        <translation>Erst anhalten oder das Ende abwarten.</translation>
    </message>
    <message>
        <source>The engine is on %1: %2 cores, %3 GB of memory</source>
        <translation>Der Rechenkern ist auf %1: %2 Kerne, %3 GB Speicher</translation>
    </message>
    <message>
        <source>The engine is in this program</source>
        <translation>Der Rechenkern ist in diesem Programm</translation>
    </message>
</context>
<context>
    <name>EngineDialog</name>
    <message>
        <source>Remote engine</source>
        <translation>Entfernter Rechenkern</translation>
    </message>
    <message>
        <source>&amp;Command that starts the engine:</source>
        <translation>&amp;Befehl, der den Rechenkern startet:</translation>
    </message>
    <message>
        <source>The other machine needs the same version of Carryover. The window talks to the engine over the command&apos;s standard input and output; no port is opened. SSH can&apos;t ask for a password here: use a key or an agent.
Models and training data are then read from the other machine, texts from this one.</source>
        <translation>Der andere Rechner braucht dieselbe Version von Carryover. Das Fenster spricht mit dem Rechenkern über Standardein- und -ausgabe des Befehls; kein Port wird geöffnet. SSH kann hier nicht nach einem Passwort fragen: Verwenden Sie einen Schlüssel oder einen Agenten.
Modelle und Trainingsdaten werden dann vom anderen Rechner gelesen, Texte von diesem.</translation>
    </message>
    <message>
        <source>Connect</source>
        <translation>Verbinden</translation>
    </message>
</context>
<context>
    <name>EngineQuestion</name>
    <message>
        <source>Start an engine?</source>
        <translation>Einen Rechenkern starten?</translation>
    </message>
    <message>
        <source>The session works with an engine that this &amp;command starts on your machine:</source>
        <translation>Die Sitzung arbeitet mit einem Rechenkern, den dieser &amp;Befehl auf Ihrem Rechner startet:</translation>
    </message>
    <message>
        <source>Command that would be started</source>
        <translation>Befehl, der gestartet würde</translation>
    </message>
    <message>
        <source>The command runs with your permissions. Start it only if you trust it. Without it, the session opens without its model. The answer is remembered for this command.</source>
        <translation>Der Befehl läuft mit Ihren Rechten. Starten Sie ihn nur, wenn Sie ihm vertrauen. Ohne ihn öffnet sich die Sitzung ohne ihr Modell. Die Antwort wird für diesen Befehl behalten.</translation>
    </message>
    <message>
        <source>Start it</source>
        <translation>Starten</translation>
    </message>
    <message>
        <source>Do not start it</source>
        <translation>Nicht starten</translation>
    </message>
</context>
<context>
    <name>EngineWorker</name>
    <message>
        <source>Reading %1</source>
        <translation>Liest %1</translation>
    </message>
    <message>
        <source>Tokenising</source>
        <translation>Zerlegt in Token</translation>
    </message>
    <message>
        <source>This machine</source>
        <translation>Dieser Rechner</translation>
    </message>
    <message>
        <source>Connecting: %1</source>
        <translation>Verbindet: %1</translation>
    </message>
</context>
<context>
    <name>EvaluationCellsTable</name>
    <message>
        <source>sample %1 failed: %2</source>
        <translation>Sample %1 ist gescheitert: %2</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>Aufgabe</translation>
    </message>
    <message>
        <source>Length</source>
        <translation>Länge</translation>
    </message>
    <message>
        <source>Metric</source>
        <translation>Maß</translation>
    </message>
    <message>
        <source>N</source>
        <translation>N</translation>
    </message>
</context>
<context>
    <name>EvaluationController</name>
    <message>
        <source>evaluation</source>
        <translation>Auswertung</translation>
    </message>
    <message>
        <source>The evaluation&apos;s process has ended</source>
        <translation>Der Prozess der Auswertung ist beendet</translation>
    </message>
    <message>
        <source>Evaluating %1 into %2</source>
        <translation>Wertet %1 aus und schreibt nach %2</translation>
    </message>
    <message>
        <source>the engine runs on another machine</source>
        <translation>der Rechenkern läuft auf einem anderen Rechner</translation>
    </message>
    <message>
        <source>Use this program&apos;s engine, then open the sample.</source>
        <translation>Verwenden Sie den Rechenkern dieses Programms, und öffnen Sie dann das Sample.</translation>
    </message>
    <message>
        <source>%1, %2, sample %3</source>
        <translation>%1, %2, Sample %3</translation>
    </message>
    <message>
        <source>Open the sample when the engine is idle.</source>
        <translation>Öffnen Sie das Sample, wenn der Rechenkern frei ist.</translation>
    </message>
    <message>
        <source>The evaluation closed a segment before the question or answer; this run reads everything as one text</source>
        <translation>Die Auswertung schloss vor der Frage oder der Antwort ein Segment; dieser Lauf liest alles als einen Text</translation>
    </message>
    <message>
        <source>The open model&apos;s weights differ from the evaluated ones</source>
        <translation>Die Gewichte des offenen Modells weichen von den ausgewerteten ab</translation>
    </message>
    <message>
        <source>Evaluated in %1, run in %2</source>
        <translation>Ausgewertet in %1, ausgeführt in %2</translation>
    </message>
</context>
<context>
    <name>EvaluationDialog</name>
    <message>
        <source>Lengths</source>
        <translation>Längen</translation>
    </message>
    <message>
        <source>“%1” is not a number of tokens</source>
        <translation>„%1“ ist keine Anzahl von Token</translation>
    </message>
    <message>
        <source>For example 4096, 8192.</source>
        <translation>Zum Beispiel 4096, 8192.</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Seed</translation>
    </message>
    <message>
        <source>“%1” is not a whole number</source>
        <translation>„%1“ ist keine ganze Zahl</translation>
    </message>
    <message>
        <source>For example 42.</source>
        <translation>Zum Beispiel 42.</translation>
    </message>
    <message>
        <source>Evaluate a model</source>
        <translation>Ein Modell auswerten</translation>
    </message>
    <message>
        <source>Settings of the evaluation</source>
        <translation>Einstellungen der Auswertung</translation>
    </message>
    <message>
        <source>Dry run</source>
        <translation>Probelauf</translation>
    </message>
    <message>
        <source>Makes the samples, counts their tokens, and estimates the time</source>
        <translation>Erzeugt die Samples, zählt ihre Token und schätzt die Zeit</translation>
    </message>
    <message>
        <source>Own samples</source>
        <translation>Eigene Samples</translation>
    </message>
    <message>
        <source>A .jsonl file with a prompt and its answers or choices on each line, as an additional task</source>
        <translation>Eine .jsonl-Datei mit einem Prompt und seinen Antworten oder Auswahlmöglichkeiten in jeder Zeile, als weitere Aufgabe</translation>
    </message>
    <message>
        <source>Data of %1</source>
        <translation>Daten von %1</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Maximum tokens of prompt and answer, separated by commas; empty: each sample&apos;s own length</source>
        <translation>Höchstzahl der Token von Prompt und Antwort, durch Kommas getrennt; leer: die eigene Länge jedes Samples</translation>
    </message>
    <message>
        <source>as they are</source>
        <translation>wie sie sind</translation>
    </message>
    <message>
        <source>Policies</source>
        <translation>Verfahren</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>Samples</translation>
    </message>
    <message>
        <source>Samples of each generated task at each length</source>
        <translation>Samples jeder erzeugten Aufgabe bei jeder Länge</translation>
    </message>
    <message>
        <source>the task&apos;s default</source>
        <translation>Standard der Aufgabe</translation>
    </message>
    <message>
        <source>Limit</source>
        <translation>Grenze</translation>
    </message>
    <message>
        <source>Run only the first samples of each task and length</source>
        <translation>Nur die ersten Samples jeder Aufgabe und Länge ausführen</translation>
    </message>
    <message>
        <source>all</source>
        <translation>alle</translation>
    </message>
    <message>
        <source>Seed of generated samples</source>
        <translation>Seed der erzeugten Samples</translation>
    </message>
    <message>
        <source>format prompts with the model&apos;s chat template</source>
        <translation>Prompts mit dem Chat-Template des Modells formatieren</translation>
    </message>
    <message>
        <source>Chat template</source>
        <translation>Chat-Template</translation>
    </message>
    <message>
        <source>inside: the policy compresses it with the context</source>
        <translation>innerhalb: das Verfahren verdichtet sie mit dem Kontext</translation>
    </message>
    <message>
        <source>outside: the context is read first, without the question</source>
        <translation>außerhalb: der Kontext wird zuerst ohne die Frage gelesen</translation>
    </message>
    <message>
        <source>Question</source>
        <translation>Frage</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>A new folder, or the folder of an evaluation with the same settings, which then continues</source>
        <translation>Ein neuer Ordner oder der einer Auswertung mit denselben Einstellungen, die dann fortgesetzt wird</translation>
    </message>
    <message>
        <source>open a model first</source>
        <translation>öffnen Sie zuerst ein Modell</translation>
    </message>
    <message>
        <source>Tasks</source>
        <translation>Aufgaben</translation>
    </message>
    <message>
        <source>select at least one</source>
        <translation>wählen Sie mindestens eine</translation>
    </message>
    <message>
        <source>Own samples: %1 is not a file</source>
        <translation>Eigene Samples: %1 ist keine Datei</translation>
    </message>
    <message>
        <source>%1 needs data: %2</source>
        <translation>%1 braucht Daten: %2</translation>
    </message>
    <message>
        <source>Data of %1: %2 is missing</source>
        <translation>Daten von %1: %2 fehlt</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Folder: %1 is a file</source>
        <translation>Ordner: %1 ist eine Datei</translation>
    </message>
    <message>
        <source>%1 samples for each policy, %2 tokens, at most %3 to generate: about %4 in total</source>
        <translation>%1 Samples je Verfahren, %2 Token, höchstens %3 zu generieren: insgesamt etwa %4</translation>
    </message>
    <message>
        <source>Making samples…</source>
        <translation>Samples werden erzeugt …</translation>
    </message>
    <message>
        <source>With settings</source>
        <translation>Mit Einstellungen</translation>
    </message>
    <message>
        <source>Additional policies with their own settings, such as a control without retrieval; separated by commas</source>
        <translation>Weitere Verfahren mit eigenen Einstellungen, etwa eine Kontrolle ohne Retrieval; durch Kommas getrennt</translation>
    </message>
</context>
<context>
    <name>EvaluationFrontier</name>
    <message>
        <source>Evaluation by bytes</source>
        <translation>Auswertung nach Bytes</translation>
    </message>
    <message>
        <source>No sample has been answered yet</source>
        <translation>Noch ist kein Sample beantwortet</translation>
    </message>
    <message>
        <source>mean of tasks</source>
        <translation>Mittel der Aufgaben</translation>
    </message>
    <message>
        <source>%1 (bars: 95 %)</source>
        <translation>%1 (Balken: 95 %)</translation>
    </message>
</context>
<context>
    <name>EvaluationModel</name>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>, %1 failed</source>
        <translation>, %1 gescheitert</translation>
    </message>
    <message>
        <source>Score</source>
        <translation>Wertung</translation>
    </message>
    <message>
        <source>Attention-visible KV</source>
        <translation>Für Attention sichtbare KV</translation>
    </message>
    <message>
        <source>Resident KV</source>
        <translation>KV im Speicher</translation>
    </message>
    <message>
        <source>Prefill</source>
        <translation>Prefill</translation>
    </message>
    <message>
        <source>Decoding</source>
        <translation>Dekodieren</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>Samples</translation>
    </message>
    <message>
        <source>Attention-visible KV (MB)</source>
        <translation>Für Attention sichtbare KV (MB)</translation>
    </message>
    <message>
        <source>Resident KV (MB)</source>
        <translation>KV im Speicher (MB)</translation>
    </message>
    <message>
        <source>Prefill of a sample (s)</source>
        <translation>Prefill eines Samples (s)</translation>
    </message>
    <message>
        <source>Decoding of a sample (s)</source>
        <translation>Dekodieren eines Samples (s)</translation>
    </message>
    <message>
        <source>Samples done (share)</source>
        <translation>Fertige Samples (Anteil)</translation>
    </message>
</context>
<context>
    <name>EvaluationPlot</name>
    <message>
        <source>as it is</source>
        <translation>wie sie ist</translation>
    </message>
    <message>
        <source>Evaluation of %1, weights %2, begun %3, in %4</source>
        <translation>Auswertung von %1, Gewichte %2, begonnen %3, in %4</translation>
    </message>
    <message>
        <source>Figure</source>
        <translation>Abbildung</translation>
    </message>
    <message>
        <source>By length</source>
        <translation>Nach Länge</translation>
    </message>
    <message>
        <source>By slice and length</source>
        <translation>Nach Teilmenge und Länge</translation>
    </message>
    <message>
        <source>Evaluation by length</source>
        <translation>Auswertung nach Länge</translation>
    </message>
    <message>
        <source>No sample has been answered yet</source>
        <translation>Noch ist kein Sample beantwortet</translation>
    </message>
    <message>
        <source>Evaluation by slice</source>
        <translation>Auswertung nach Teilmenge</translation>
    </message>
    <message>
        <source>Length (tokens)</source>
        <translation>Länge (Token)</translation>
    </message>
    <message>
        <source>Slice</source>
        <translation>Teilmenge</translation>
    </message>
    <message>
        <source>The task&apos;s samples have no slices</source>
        <translation>Die Samples der Aufgabe haben keine Teilmengen</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>%1 (bars: 95 %)</source>
        <translation>%1 (Balken: 95 %)</translation>
    </message>
    <message>
        <source>By KV bytes</source>
        <translation>Nach KV-Bytes</translation>
    </message>
    <message>
        <source>By KV bytes, mean of tasks</source>
        <translation>Nach KV-Bytes, Mittel der Aufgaben</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>Aufgabe</translation>
    </message>
    <message>
        <source>Policy</source>
        <translation>Verfahren</translation>
    </message>
</context>
<context>
    <name>EvaluationSamples</name>
    <message>
        <source>sample %1</source>
        <translation>Sample %1</translation>
    </message>
    <message>
        <source>is no longer among the task&apos;s samples</source>
        <translation>gehört nicht mehr zu den Samples der Aufgabe</translation>
    </message>
    <message>
        <source>Restore the task&apos;s data, or evaluate it again.</source>
        <translation>Stellen Sie die Daten der Aufgabe wieder her, oder werten Sie sie neu aus.</translation>
    </message>
</context>
<context>
    <name>EvaluationSamplesTable</name>
    <message>
        <source>choice %1</source>
        <translation>Auswahlmöglichkeit %1</translation>
    </message>
    <message>
        <source>The sample&apos;s score; the table above shows the mean. Perplexity tasks: nats per token</source>
        <translation>Wertung des Samples; die Tabelle darüber zeigt das Mittel. Aufgaben zur Perplexität: nat je Token</translation>
    </message>
    <message>
        <source>Sample</source>
        <translation>Sample</translation>
    </message>
    <message>
        <source>Slice</source>
        <translation>Teilmenge</translation>
    </message>
    <message>
        <source>Score</source>
        <translation>Wertung</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>Antwort</translation>
    </message>
    <message>
        <source>Reference</source>
        <translation>Referenz</translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>Problem</translation>
    </message>
</context>
<context>
    <name>EvaluationSamplesView</name>
    <message>
        <source>Task, length and policy of the listed samples</source>
        <translation>Aufgabe, Länge und Verfahren der aufgeführten Samples</translation>
    </message>
    <message>
        <source>Wrong only</source>
        <translation>Nur falsche</translation>
    </message>
    <message>
        <source>Samples that failed, or have less than the full score</source>
        <translation>Samples, die gescheitert sind oder nicht die volle Wertung haben</translation>
    </message>
    <message>
        <source>References</source>
        <translation>Referenzen</translation>
    </message>
    <message>
        <source>Make the task&apos;s samples again to show their references; long samples take a while</source>
        <translation>Die Samples der Aufgabe noch einmal erzeugen, um ihre Referenzen zu zeigen; lange Samples brauchen eine Weile</translation>
    </message>
    <message>
        <source>Show only samples that contain all of these words</source>
        <translation>Nur Samples zeigen, die alle diese Wörter enthalten</translation>
    </message>
    <message>
        <source>Samples of the selected cell</source>
        <translation>Samples der gewählten Zelle</translation>
    </message>
    <message>
        <source>Open as a run</source>
        <translation>Als Lauf öffnen</translation>
    </message>
    <message>
        <source>Retrieved tokens of the open sample</source>
        <translation>Abgerufene Token des offenen Samples</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
</context>
<context>
    <name>EvaluationsPanel</name>
    <message>
        <source>Evaluations</source>
        <translation>Auswertungen</translation>
    </message>
    <message>
        <source>Open the folder of an evaluation, or follow one that is running</source>
        <translation>Den Ordner einer Auswertung öffnen, oder einer laufenden folgen</translation>
    </message>
    <message>
        <source>Open the folder of an evaluation</source>
        <translation>Den Ordner einer Auswertung öffnen</translation>
    </message>
    <message>
        <source>Evaluate…</source>
        <translation>Auswerten …</translation>
    </message>
    <message>
        <source>Evaluate the open model in a separate process</source>
        <translation>Das offene Modell in einem eigenen Prozess auswerten</translation>
    </message>
    <message>
        <source>Finished samples are kept</source>
        <translation>Fertige Samples bleiben erhalten</translation>
    </message>
    <message>
        <source>Run the samples that are not done</source>
        <translation>Die Samples ausführen, die nicht fertig sind</translation>
    </message>
    <message>
        <source>Table…</source>
        <translation>Tabelle …</translation>
    </message>
    <message>
        <source>Save the table as Markdown, CSV or LaTeX</source>
        <translation>Die Tabelle als Markdown, CSV oder LaTeX sichern</translation>
    </message>
    <message>
        <source>Value shown for each policy</source>
        <translation>Wert, der für jedes Verfahren gezeigt wird</translation>
    </message>
    <message>
        <source>Show only tasks that contain all of these words</source>
        <translation>Nur Aufgaben zeigen, die alle diese Wörter enthalten</translation>
    </message>
    <message>
        <source>State of the evaluation</source>
        <translation>Zustand der Auswertung</translation>
    </message>
    <message>
        <source>Problem with the evaluation</source>
        <translation>Problem mit der Auswertung</translation>
    </message>
    <message>
        <source>Tasks and policies of the evaluation</source>
        <translation>Aufgaben und Verfahren der Auswertung</translation>
    </message>
    <message>
        <source>Save the table</source>
        <translation>Die Tabelle sichern</translation>
    </message>
    <message>
        <source>Markdown (*.md);;CSV (*.csv);;LaTeX (*.tex)</source>
        <translation>Markdown (*.md);;CSV (*.csv);;LaTeX (*.tex)</translation>
    </message>
    <message>
        <source>An evaluation runs long-context tasks under several policies. This view shows its scores, with 95 % intervals, and its samples, each of which opens as a run.</source>
        <translation>Eine Auswertung führt Aufgaben mit langen Kontexten unter mehreren Verfahren aus. Diese Ansicht zeigt ihre Wertungen mit 95-%-Intervallen und ihre Samples, von denen sich jedes als Lauf öffnet.</translation>
    </message>
    <message>
        <source>%1 of %2 cells</source>
        <translation>%1 von %2 Zellen</translation>
    </message>
    <message>
        <source>stopping…</source>
        <translation>hält an …</translation>
    </message>
    <message>
        <source>running</source>
        <translation>läuft</translation>
    </message>
    <message>
        <source>running in another process</source>
        <translation>läuft in einem anderen Prozess</translation>
    </message>
    <message>
        <source>done</source>
        <translation>fertig</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>angehalten</translation>
    </message>
    <message>
        <source>failed samples: %1</source>
        <translation>gescheiterte Samples: %1</translation>
    </message>
</context>
<context>
    <name>ExperimentController</name>
    <message>
        <source>The experiment&apos;s process has ended</source>
        <translation>Der Prozess des Experiments ist beendet</translation>
    </message>
    <message>
        <source>experiment</source>
        <translation>Experiment</translation>
    </message>
    <message>
        <source>Running the experiment %1 into %2</source>
        <translation>Führt das Experiment %1 aus und schreibt nach %2</translation>
    </message>
    <message>
        <source>is a training</source>
        <translation>ist ein Training</translation>
    </message>
    <message>
        <source>has failed: %1</source>
        <translation>ist gescheitert: %1</translation>
    </message>
    <message>
        <source>has not begun yet</source>
        <translation>hat noch nicht begonnen</translation>
    </message>
    <message>
        <source>cell %1</source>
        <translation>Zelle %1</translation>
    </message>
    <message>
        <source>Choose one that has been run.</source>
        <translation>Wählen Sie eine, die ausgeführt wurde.</translation>
    </message>
</context>
<context>
    <name>ExperimentDialog</name>
    <message>
        <source>Run an experiment</source>
        <translation>Experiment ausführen</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>Plan</translation>
    </message>
    <message>
        <source>A JSON file: models, recipes, seeds, evaluations, texts</source>
        <translation>Eine JSON-Datei: Modelle, Rezepte, Seeds, Auswertungen, Texte</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>A new folder, or the folder of an experiment, whose finished cells are kept</source>
        <translation>Ein neuer Ordner oder der eines Experiments, dessen fertige Zellen erhalten bleiben</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>Training texts</source>
        <translation>Trainingstexte</translation>
    </message>
    <message>
        <source>Files or folders that replace the plan&apos;s texts, separated by ;</source>
        <translation>Dateien oder Ordner, die die Texte des Plans ersetzen, durch ; getrennt</translation>
    </message>
    <message>
        <source>Evaluation texts</source>
        <translation>Auswertungstexte</translation>
    </message>
    <message>
        <source>as planned</source>
        <translation>wie geplant</translation>
    </message>
    <message>
        <source>Recipes</source>
        <translation>Rezepte</translation>
    </message>
    <message>
        <source>Run only these recipes, separated by commas</source>
        <translation>Nur diese Rezepte ausführen, durch Kommas getrennt</translation>
    </message>
    <message>
        <source>Threads</source>
        <translation>Threads</translation>
    </message>
    <message>
        <source>CPU threads; 0: all</source>
        <translation>Threads des Prozessors; 0: alle</translation>
    </message>
    <message>
        <source>Plan: choose one</source>
        <translation>Plan: wählen Sie einen aus</translation>
    </message>
    <message>
        <source>Plan: %1 is not a file</source>
        <translation>Plan: %1 ist keine Datei</translation>
    </message>
    <message>
        <source>all</source>
        <translation>alle</translation>
    </message>
    <message>
        <source>all: %1</source>
        <translation>alle: %1</translation>
    </message>
    <message>
        <source>Folder or GGUF file that replaces the plan&apos;s model</source>
        <translation>Ordner oder GGUF-Datei, die das Modell des Plans ersetzt</translation>
    </message>
    <message>
        <source>Folder: %1 is a file</source>
        <translation>Ordner: %1 ist eine Datei</translation>
    </message>
    <message>
        <source>Dry run</source>
        <translation>Probelauf</translation>
    </message>
    <message>
        <source>Reads models and texts, and estimates the time</source>
        <translation>Liest Modelle und Texte und schätzt die Zeit</translation>
    </message>
    <message>
        <source>Shipped plans</source>
        <translation>Mitgelieferte Pläne</translation>
    </message>
    <message>
        <source>plans that came with the program</source>
        <translation>mitgelieferte Pläne</translation>
    </message>
    <message>
        <source>What the plan needs</source>
        <translation>Was der Plan braucht</translation>
    </message>
    <message>
        <source>Needs</source>
        <translation>Braucht</translation>
    </message>
    <message>
        <source>model %1: %2</source>
        <translation>Modell %1: %2</translation>
    </message>
    <message>
        <source>adapter of %1: %2</source>
        <translation>Adapter von %1: %2</translation>
    </message>
    <message>
        <source>training texts: %1</source>
        <translation>Trainingstexte: %1</translation>
    </message>
    <message>
        <source>%1 evaluation texts: %2</source>
        <translation>%1 Auswertungstexte: %2</translation>
    </message>
    <message>
        <source>evaluation texts: %1</source>
        <translation>Auswertungstexte: %1</translation>
    </message>
    <message>
        <source>%1 (missing)</source>
        <translation>%1 (fehlt)</translation>
    </message>
    <message>
        <source>%1 of %2 cells to run: about %3, %4 of disk space</source>
        <translation>%1 von %2 Zellen auszuführen: etwa %3, %4 Plattenplatz</translation>
    </message>
    <message>
        <source>Estimating…</source>
        <translation>Wird geschätzt…</translation>
    </message>
    <message>
        <source>%1 (choose its model and texts)</source>
        <translation>%1 (Modell und Texte wählen)</translation>
    </message>
</context>
<context>
    <name>ExperimentFigure</name>
    <message>
        <source>Experiment: %1, %2
Machine: %3
Commit: %4</source>
        <translation>Experiment: %1, %2
Rechner: %3
Commit: %4</translation>
    </message>
</context>
<context>
    <name>ExperimentModel</name>
    <message>
        <source>pending</source>
        <translation>ausstehend</translation>
    </message>
    <message>
        <source>running</source>
        <translation>läuft</translation>
    </message>
    <message>
        <source>done</source>
        <translation>fertig</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>gescheitert</translation>
    </message>
    <message>
        <source>training</source>
        <translation>Training</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Recipe</source>
        <translation>Rezept</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Seed</translation>
    </message>
    <message>
        <source>Evaluation</source>
        <translation>Auswertung</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>Status</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>Fortschritt</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Verlust</translation>
    </message>
    <message>
        <source>PPL</source>
        <translation>PPL</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Expected</source>
        <translation>Erwartet</translation>
    </message>
    <message>
        <source>Segment (S)</source>
        <translation>Segment (S)</translation>
    </message>
    <message>
        <source>Carry (M)</source>
        <translation>Übertrag (M)</translation>
    </message>
    <message>
        <source>Retrieved (R)</source>
        <translation>Abgerufen (R)</translation>
    </message>
    <message>
        <source>Sinks (n)</source>
        <translation>Sinks (n)</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>Attention-visible KV</source>
        <translation>Für Attention sichtbare KV</translation>
    </message>
    <message>
        <source>Peak memory</source>
        <translation>Speicherspitze</translation>
    </message>
    <message>
        <source>Loss (nats)</source>
        <translation>Verlust (nat)</translation>
    </message>
    <message>
        <source>Perplexity</source>
        <translation>Perplexität</translation>
    </message>
    <message>
        <source>Time (s)</source>
        <translation>Zeit (s)</translation>
    </message>
    <message>
        <source>Expected time (s)</source>
        <translation>Erwartete Zeit (s)</translation>
    </message>
    <message>
        <source>Segment length S (tokens)</source>
        <translation>Segmentlänge S (Token)</translation>
    </message>
    <message>
        <source>Carried tail M (tokens)</source>
        <translation>Übertrag M (Token)</translation>
    </message>
    <message>
        <source>Retrieved R (tokens)</source>
        <translation>Abgerufen R (Token)</translation>
    </message>
    <message>
        <source>Sinks n (tokens)</source>
        <translation>Sinks n (Token)</translation>
    </message>
    <message>
        <source>Attention-visible KV (MB)</source>
        <translation>Für Attention sichtbare KV (MB)</translation>
    </message>
    <message>
        <source>Peak memory (MB)</source>
        <translation>Speicherspitze (MB)</translation>
    </message>
    <message>
        <source>Sinks lost</source>
        <translation>Sinks verloren</translation>
    </message>
    <message>
        <source>Segments that lost their sink (share)</source>
        <translation>Segmente, die ihren Sink verloren haben (Anteil)</translation>
    </message>
</context>
<context>
    <name>ExperimentPlot</name>
    <message>
        <source>Vertical axis</source>
        <translation>Senkrechte Achse</translation>
    </message>
    <message>
        <source>Horizontal axis</source>
        <translation>Waagerechte Achse</translation>
    </message>
    <message>
        <source>against</source>
        <translation>gegen</translation>
    </message>
    <message>
        <source>Cells of the experiment</source>
        <translation>Zellen des Experiments</translation>
    </message>
    <message>
        <source>, training</source>
        <translation>, Training</translation>
    </message>
    <message>
        <source>Experiment %1: %2, in %3</source>
        <translation>Experiment %1: %2, in %3</translation>
    </message>
    <message>
        <source>Cell</source>
        <translation>Zelle</translation>
    </message>
    <message>
        <source>log10</source>
        <translation>log10</translation>
    </message>
    <message>
        <source>Logarithmic vertical axis; needs positive values</source>
        <translation>Logarithmische senkrechte Achse; braucht positive Werte</translation>
    </message>
    <message>
        <source>Logarithmic vertical axis</source>
        <translation>Logarithmische senkrechte Achse</translation>
    </message>
    <message>
        <source>Figure</source>
        <translation>Abbildung</translation>
    </message>
    <message>
        <source>Cells</source>
        <translation>Zellen</translation>
    </message>
    <message>
        <source>Perplexity against attention-visible KV</source>
        <translation>Perplexität gegen die für Attention sichtbaren KV</translation>
    </message>
    <message>
        <source>Length (tokens)</source>
        <translation>Länge (Token)</translation>
    </message>
    <message>
        <source>Comparison</source>
        <translation>Vergleich</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 Token</translation>
    </message>
    <message>
        <source>All comparisons</source>
        <translation>Alle Vergleiche</translation>
    </message>
    <message>
        <source>Comparisons</source>
        <translation>Vergleiche</translation>
    </message>
    <message>
        <source>No cell has values for both axes: choose other axes, or run more cells</source>
        <translation>Keine Zelle hat Werte für beide Achsen: Wählen Sie andere Achsen, oder führen Sie weitere Zellen aus</translation>
    </message>
    <message>
        <source>These results have too many runs or comparisons for a figure</source>
        <translation>Diese Ergebnisse haben zu viele Läufe oder Vergleiche für eine Abbildung</translation>
    </message>
    <message>
        <source>No evaluation is finished</source>
        <translation>Keine Auswertung ist fertig</translation>
    </message>
    <message>
        <source>No comparison has results on both sides</source>
        <translation>Kein Vergleich hat Ergebnisse auf beiden Seiten</translation>
    </message>
</context>
<context>
    <name>ExperimentsPanel</name>
    <message>
        <source>Experiments</source>
        <translation>Experimente</translation>
    </message>
    <message>
        <source>Open the folder of an experiment, or follow one that is running</source>
        <translation>Den Ordner eines Experiments öffnen, oder einem laufenden folgen</translation>
    </message>
    <message>
        <source>Run…</source>
        <translation>Ausführen …</translation>
    </message>
    <message>
        <source>Run the cells of a plan in a separate process</source>
        <translation>Die Zellen eines Plans in einem eigenen Prozess ausführen</translation>
    </message>
    <message>
        <source>Finished cells are kept; a training saves a checkpoint</source>
        <translation>Fertige Zellen bleiben erhalten; ein Training sichert einen Checkpoint</translation>
    </message>
    <message>
        <source>Run the cells that are not done</source>
        <translation>Die Zellen ausführen, die nicht fertig sind</translation>
    </message>
    <message>
        <source>State of the experiment</source>
        <translation>Zustand des Experiments</translation>
    </message>
    <message>
        <source>Show only cells that contain all of these words</source>
        <translation>Nur Zellen zeigen, die alle diese Wörter enthalten</translation>
    </message>
    <message>
        <source>Problem with the experiment</source>
        <translation>Problem mit dem Experiment</translation>
    </message>
    <message>
        <source>Cells of the experiment</source>
        <translation>Zellen des Experiments</translation>
    </message>
    <message>
        <source>&amp;Open</source>
        <translation>Ö&amp;ffnen</translation>
    </message>
    <message>
        <source>Pin for &amp;Compare</source>
        <translation>Zum &amp;Vergleich anheften</translation>
    </message>
    <message>
        <source>Compare the &amp;two</source>
        <translation>Die &amp;beiden vergleichen</translation>
    </message>
    <message>
        <source>Export the cells</source>
        <translation>Zellen exportieren</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>Open the folder of an experiment</source>
        <translation>Den Ordner eines Experiments öffnen</translation>
    </message>
    <message>
        <source>%1 of %2 cells</source>
        <translation>%1 von %2 Zellen</translation>
    </message>
    <message>
        <source>%1 failed</source>
        <translation>%1 gescheitert</translation>
    </message>
    <message>
        <source>stopping…</source>
        <translation>hält an …</translation>
    </message>
    <message>
        <source>running</source>
        <translation>läuft</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>angehalten</translation>
    </message>
    <message>
        <source>about %1 left</source>
        <translation>noch etwa %1</translation>
    </message>
    <message>
        <source>running in another process</source>
        <translation>läuft in einem anderen Prozess</translation>
    </message>
    <message>
        <source>%1 left out</source>
        <translation>%1 ausgelassen</translation>
    </message>
    <message>
        <source>No experiment is open: open its folder, or press Run…</source>
        <translation>Kein Experiment ist offen: Öffnen Sie seinen Ordner, oder drücken Sie „Ausführen…“</translation>
    </message>
</context>
<context>
    <name>ExportDialog</name>
    <message>
        <source>Export figure</source>
        <translation>Abbildung exportieren</translation>
    </message>
    <message>
        <source>PDF</source>
        <translation>PDF</translation>
    </message>
    <message>
        <source>SVG</source>
        <translation>SVG</translation>
    </message>
    <message>
        <source>PNG</source>
        <translation>PNG</translation>
    </message>
    <message>
        <source>CSV (the data)</source>
        <translation>CSV (die Daten)</translation>
    </message>
    <message>
        <source>&amp;Format</source>
        <translation>&amp;Format</translation>
    </message>
    <message>
        <source>&amp;Width</source>
        <translation>&amp;Breite</translation>
    </message>
    <message>
        <source>&amp;Height</source>
        <translation>&amp;Höhe</translation>
    </message>
    <message>
        <source>&amp;Dots per inch</source>
        <translation>&amp;Punkte je Zoll</translation>
    </message>
    <message>
        <source>&amp;Browse…</source>
        <translation>&amp;Wählen …</translation>
    </message>
    <message>
        <source>F&amp;ile</source>
        <translation>&amp;Datei</translation>
    </message>
    <message>
        <source>%1 exists: save again to replace it</source>
        <translation>%1 gibt es schon: nochmals sichern, um sie zu ersetzen</translation>
    </message>
    <message>
        <source>NumPy array (the data)</source>
        <translation>NumPy-Array (die Daten)</translation>
    </message>
    <message>
        <source>&amp;Style</source>
        <translation>&amp;Stil</translation>
    </message>
    <message>
        <source>%1, %2 × %3 mm</source>
        <translation>%1, %2 × %3 mm</translation>
    </message>
    <message>
        <source>Custom</source>
        <translation>Eigene</translation>
    </message>
    <message>
        <source>Si&amp;ze</source>
        <translation>&amp;Größe</translation>
    </message>
</context>
<context>
    <name>ExportMenu</name>
    <message>
        <source>All plots (PNG, PDF, SVG, CSV, NumPy)…</source>
        <translation>Alle Diagramme (PNG, PDF, SVG, CSV, NumPy) …</translation>
    </message>
    <message>
        <source>Folder for the plots</source>
        <translation>Ordner für die Diagramme</translation>
    </message>
    <message>
        <source>Data of the run (CSV, NumPy)</source>
        <translation>Daten des Laufs (CSV, NumPy)</translation>
    </message>
    <message>
        <source>Hits…</source>
        <translation>Treffer …</translation>
    </message>
    <message>
        <source>Loss by token…</source>
        <translation>Verlust nach Token …</translation>
    </message>
    <message>
        <source>Segments…</source>
        <translation>Segmente …</translation>
    </message>
    <message>
        <source>Carry maps…</source>
        <translation>Karten des Übertrags …</translation>
    </message>
    <message>
        <source>Export data</source>
        <translation>Daten exportieren</translation>
    </message>
    <message>
        <source>CSV (*.csv);;NumPy (*.npy)</source>
        <translation>CSV (*.csv);;NumPy (*.npy)</translation>
    </message>
    <message>
        <source>Report (HTML, PDF)…</source>
        <translation>Bericht (HTML, PDF) …</translation>
    </message>
    <message>
        <source>Report</source>
        <translation>Bericht</translation>
    </message>
    <message>
        <source>HTML (*.html);;PDF (*.pdf)</source>
        <translation>HTML (*.html);;PDF (*.pdf)</translation>
    </message>
    <message>
        <source>Settings as JSON…</source>
        <translation>Einstellungen als JSON …</translation>
    </message>
    <message>
        <source>Grouping as JSON…</source>
        <translation>Gruppierung als JSON …</translation>
    </message>
    <message>
        <source>Import settings or grouping…</source>
        <translation>Einstellungen oder Gruppierung importieren …</translation>
    </message>
    <message>
        <source>Save the run as a folder…</source>
        <translation>Lauf als Ordner sichern …</translation>
    </message>
    <message>
        <source>New folder for the run</source>
        <translation>Neuer Ordner für den Lauf</translation>
    </message>
    <message>
        <source>can&apos;t be created</source>
        <translation>lässt sich nicht anlegen</translation>
    </message>
    <message>
        <source>Choose a folder that can be written.</source>
        <translation>Wählen Sie einen Ordner, in den Sie schreiben dürfen.</translation>
    </message>
    <message>
        <source>Sinks…</source>
        <translation>Sinks …</translation>
    </message>
    <message>
        <source>Head patterns as MInference&apos;s JSON…</source>
        <translation>Muster der Köpfe als JSON von MInference …</translation>
    </message>
    <message>
        <source>Import head patterns of MInference…</source>
        <translation>Muster der Köpfe von MInference importieren …</translation>
    </message>
</context>
<context>
    <name>FinetuneDialog</name>
    <message>
        <source>Fine-tune</source>
        <translation>Fine-Tuning</translation>
    </message>
    <message>
        <source>Problem with the plan</source>
        <translation>Problem mit dem Plan</translation>
    </message>
    <message>
        <source>Preset…</source>
        <translation>Vorlage …</translation>
    </message>
    <message>
        <source>Preset</source>
        <translation>Vorlage</translation>
    </message>
    <message>
        <source>Fills in the form, but keeps model, texts, folder and grouping</source>
        <translation>Füllt das Formular aus; Modell, Texte, Ordner und Gruppierung bleiben</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Work</source>
        <translation>Arbeit</translation>
    </message>
    <message>
        <source>Dry run</source>
        <translation>Probelauf</translation>
    </message>
    <message>
        <source>Dry run in progress…</source>
        <translation>Probelauf läuft …</translation>
    </message>
    <message>
        <source>Load config…</source>
        <translation>Konfiguration laden …</translation>
    </message>
    <message>
        <source>Fill the form from a JSON file, as --config takes it</source>
        <translation>Das Formular aus einer JSON-Datei füllen, wie --config sie nimmt</translation>
    </message>
    <message>
        <source>Save config…</source>
        <translation>Konfiguration sichern …</translation>
    </message>
    <message>
        <source>Write the form as JSON, for --config</source>
        <translation>Das Formular als JSON schreiben, für --config</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Close without starting the training</source>
        <translation>Schließen, ohne das Training zu starten</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Starten</translation>
    </message>
    <message>
        <source>Choose a text to train on.</source>
        <translation>Wählen Sie einen Text zum Trainieren.</translation>
    </message>
    <message>
        <source>Correct the path.</source>
        <translation>Berichtigen Sie den Pfad.</translation>
    </message>
    <message>
        <source>Choose a new folder.</source>
        <translation>Wählen Sie einen neuen Ordner.</translation>
    </message>
    <message>
        <source>Not ready: see the field marked in “%1”.</source>
        <translation>Nicht bereit: siehe das markierte Feld in „%1“.</translation>
    </message>
    <message>
        <source>–</source>
        <translation>–</translation>
    </message>
    <message>
        <source>A dry run estimates the time.</source>
        <translation>Ein Probelauf schätzt die Zeit.</translation>
    </message>
    <message>
        <source>A step took %1: %2 for all steps, %L3 tokens/s.</source>
        <translation>Ein Schritt dauerte %1: %2 für alle Schritte, %L3 Token/s.</translation>
    </message>
    <message>
        <source>The dry run failed: %1</source>
        <translation>Der Probelauf ist gescheitert: %1</translation>
    </message>
    <message>
        <source>Not now: %1</source>
        <translation>Jetzt nicht: %1</translation>
    </message>
    <message>
        <source>Not ready: %1</source>
        <translation>Nicht bereit: %1</translation>
    </message>
    <message>
        <source>Train, and follow the training in the window</source>
        <translation>Trainieren und dem Training im Fenster folgen</translation>
    </message>
    <message>
        <source>Save the config</source>
        <translation>Konfiguration sichern</translation>
    </message>
    <message>
        <source>JSON (*.json)</source>
        <translation>JSON (*.json)</translation>
    </message>
    <message>
        <source>Load a config</source>
        <translation>Konfiguration laden</translation>
    </message>
    <message>
        <source>Open it first: it is on another machine.</source>
        <translation>Öffnen Sie es zuerst: Es liegt auf einem anderen Rechner.</translation>
    </message>
    <message>
        <source>Two steps on the first samples: measures memory and time, writes nothing</source>
        <translation>Zwei Schritte auf den ersten Samples: misst Speicher und Zeit, schreibt nichts</translation>
    </message>
    <message>
        <source> and %L1 documents of up to %L2 segments</source>
        <translation> und %L1 Dokumente mit bis zu %L2 Segmenten</translation>
    </message>
    <message>
        <source>%L1 trained parameters. Each step reads %L2 × %L3 tokens%6; %L4 steps read %5 tokens of text.</source>
        <translation>%L1 trainierte Parameter. Jeder Schritt liest %L2 × %L3 Token%6; %L4 Schritte lesen %5 Token Text.</translation>
    </message>
    <message>
        <source>Choose a new folder, or resume that run in Training runs.</source>
        <translation>Wählen Sie einen neuen Ordner, oder setzen Sie jenen Lauf unter „Trainingsläufe“ fort.</translation>
    </message>
</context>
<context>
    <name>FoilField</name>
    <message>
        <source>Foil token</source>
        <translation>Vergleichstoken</translation>
    </message>
    <message>
        <source>Token to compare with: logits become the target&apos;s minus the foil&apos;s. A space before a word belongs to the token</source>
        <translation>Token, mit dem verglichen wird: Logits werden zum Logit des Ziels minus dem des Vergleichstokens. Ein Leerzeichen vor einem Wort gehört zum Token</translation>
    </message>
</context>
<context>
    <name>FoilToken</name>
    <message>
        <source>The run has no tokenizer: open its model</source>
        <translation>Der Lauf hat keinen Tokenizer: Öffnen Sie sein Modell</translation>
    </message>
    <message>
        <source>“%1” becomes %2 tokens: %3. %4</source>
        <translation>„%1“ wird zu %2 Token: %3. %4</translation>
    </message>
    <message>
        <source>With a space before it, “%1”, it is one</source>
        <translation>Mit einem Leerzeichen davor, „%1“, ist es eines</translation>
    </message>
    <message>
        <source>Enter a text that is a single token</source>
        <translation>Geben Sie einen Text ein, der ein Token ist</translation>
    </message>
    <message>
        <source>“%1”</source>
        <translation>„%1“</translation>
    </message>
</context>
<context>
    <name>FolderController</name>
    <message>
        <source>another one is running in this window</source>
        <translation>in diesem Fenster läuft schon ein anderer Vorgang</translation>
    </message>
    <message>
        <source>Stop it first: finished work is kept.</source>
        <translation>Halten Sie ihn zuerst an: Fertiges bleibt erhalten.</translation>
    </message>
</context>
<context>
    <name>FolderPanel</name>
    <message>
        <source>Open…</source>
        <translation>Öffnen…</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stopp</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Starting… %1</source>
        <translation>Startet … %1</translation>
    </message>
</context>
<context>
    <name>ForecastProcess</name>
    <message>
        <source>dry run</source>
        <translation>Probelauf</translation>
    </message>
    <message>
        <source>what the dry run printed</source>
        <translation>was der Probelauf ausgab</translation>
    </message>
</context>
<context>
    <name>GuideWindow</name>
    <message>
        <source>Guide</source>
        <translation>Anleitung</translation>
    </message>
    <message>
        <source>Search the guide</source>
        <translation>In der Anleitung suchen</translation>
    </message>
    <message>
        <source>Contents</source>
        <translation>Inhalt</translation>
    </message>
    <message>
        <source>Page of the guide</source>
        <translation>Seite der Anleitung</translation>
    </message>
    <message>
        <source>:/docs/guide.md</source>
        <translation>:/docs/guide.de.md</translation>
    </message>
</context>
<context>
    <name>HeadDiscoveryPanel</name>
    <message>
        <source>Head scores</source>
        <translation>Bewertung der Köpfe</translation>
    </message>
    <message>
        <source>Import scores: DuoAttention .tsv or retrieval-head .json</source>
        <translation>Wertungen importieren: .tsv von DuoAttention oder .json von Retrieval-Köpfen</translation>
    </message>
    <message>
        <source>Export the scores: DuoAttention .tsv or retrieval-head .json</source>
        <translation>Wertungen exportieren: .tsv von DuoAttention oder .json von Retrieval-Köpfen</translation>
    </message>
    <message>
        <source>Scores</source>
        <translation>Wertungen</translation>
    </message>
    <message>
        <source>Scores that are shown and that the proposal is based on</source>
        <translation>Wertungen, die gezeigt werden und auf denen der Vorschlag beruht</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>Maß</translation>
    </message>
    <message>
        <source>Measure by which heads are scored</source>
        <translation>Maß, nach dem Köpfe bewertet werden</translation>
    </message>
    <message>
        <source>Against</source>
        <translation>Gegen</translation>
    </message>
    <message>
        <source>Scores that the shown ones are compared with</source>
        <translation>Wertungen, mit denen die gezeigten verglichen werden</translation>
    </message>
    <message>
        <source>Layers to propose</source>
        <translation>Schichten, die vorgeschlagen werden</translation>
    </message>
    <message>
        <source>Number of layers, those whose best heads score highest</source>
        <translation>Zahl der Schichten; gewählt werden die, deren beste Köpfe die höchsten Wertungen haben</translation>
    </message>
    <message>
        <source>Heads to propose</source>
        <translation>Köpfe, die vorgeschlagen werden</translation>
    </message>
    <message>
        <source>Number of heads in each of these layers, those that score highest</source>
        <translation>Zahl der Köpfe in jeder dieser Schichten; gewählt werden die mit den höchsten Wertungen</translation>
    </message>
    <message>
        <source>Apply the proposal</source>
        <translation>Vorschlag übernehmen</translation>
    </message>
    <message>
        <source>Makes it the grouping of the next run (undo: Ctrl+Z)</source>
        <translation>Macht ihn zur Gruppierung des nächsten Laufs (rückgängig: Strg+Z)</translation>
    </message>
    <message>
        <source>Agreement of two sets of scores</source>
        <translation>Übereinstimmung zweier Reihen von Wertungen</translation>
    </message>
    <message>
        <source>Groupings by scores</source>
        <translation>Gruppierungen nach Wertungen</translation>
    </message>
    <message>
        <source>Propose</source>
        <translation>Vorschlagen</translation>
    </message>
    <message>
        <source>layers ×</source>
        <translation>Schichten ×</translation>
    </message>
    <message>
        <source>heads</source>
        <translation>Köpfe</translation>
    </message>
    <message>
        <source>no model is open</source>
        <translation>kein Modell ist offen</translation>
    </message>
    <message>
        <source>Open the model whose heads these are.</source>
        <translation>Öffnen Sie das Modell, dessen Köpfe es sind.</translation>
    </message>
    <message>
        <source>Scores of all heads from %1</source>
        <translation>Wertungen aller Köpfe aus %1</translation>
    </message>
    <message>
        <source>no head has been scored yet</source>
        <translation>noch kein Kopf ist bewertet</translation>
    </message>
    <message>
        <source>Profile the model first.</source>
        <translation>Vermessen Sie zuerst das Modell.</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>nichts</translation>
    </message>
    <message>
        <source>grouping by head scores</source>
        <translation>Gruppierung nach Wertungen der Köpfe</translation>
    </message>
    <message>
        <source>No head has been scored yet. Press Profile, or drop scores here: DuoAttention&apos;s full_attention_heads.tsv, or retrieval-head .json.</source>
        <translation>Noch kein Kopf ist bewertet. Drücken Sie „Vermessen“, oder lassen Sie Wertungen hier fallen: full_attention_heads.tsv von DuoAttention oder .json von Retrieval-Köpfen.</translation>
    </message>
    <message>
        <source>Open a model to see which of its heads retrieve.</source>
        <translation>Öffnen Sie ein Modell, um zu sehen, welche seiner Köpfe abrufen.</translation>
    </message>
    <message>
        <source>Score</source>
        <translation>Wertung</translation>
    </message>
    <message>
        <source>Against %1: Spearman&apos;s ρ %2; of the %3 best heads, %4 % are the same</source>
        <translation>Gegen %1: Spearmans ρ %2; von den %3 besten Köpfen sind %4 % dieselben</translation>
    </message>
    <message>
        <source>Import scores of heads</source>
        <translation>Wertungen von Köpfen importieren</translation>
    </message>
    <message>
        <source>Scores of heads (*.tsv *.json)</source>
        <translation>Wertungen von Köpfen (*.tsv *.json)</translation>
    </message>
    <message>
        <source>Export the scores</source>
        <translation>Wertungen exportieren</translation>
    </message>
    <message>
        <source>DuoAttention (*.tsv);;Retrieval heads (*.json)</source>
        <translation>DuoAttention (*.tsv);;Retrieval-Köpfe (*.json)</translation>
    </message>
    <message>
        <source>attention</source>
        <translation>Attention</translation>
    </message>
    <message>
        <source>Attention on the token to be copied</source>
        <translation>Attention auf das zu kopierende Token</translation>
    </message>
    <message>
        <source>copies</source>
        <translation>Kopien</translation>
    </message>
    <message>
        <source>How often the token to be copied gets the most attention</source>
        <translation>Wie oft das zu kopierende Token die meiste Attention bekommt</translation>
    </message>
</context>
<context>
    <name>HeadGrid</name>
    <message>
        <source>Heads by layer</source>
        <translation>Köpfe nach Schicht</translation>
    </message>
    <message>
        <source>make layer %1 long-range</source>
        <translation>Schicht %1 weitreichend machen</translation>
    </message>
    <message>
        <source>long-range</source>
        <translation>weitreichend</translation>
    </message>
    <message>
        <source>local</source>
        <translation>lokal</translation>
    </message>
    <message>
        <source>make head %1.%2 %3</source>
        <translation>Kopf %1.%2 %3 machen</translation>
    </message>
    <message>
        <source>make %1 heads %2</source>
        <translation>%1 Köpfe %2 machen</translation>
    </message>
    <message>
        <source>No model yet</source>
        <translation>Noch kein Modell</translation>
    </message>
    <message>
        <source>Layer %1: long-range, its long heads read a retrieved prefix</source>
        <translation>Schicht %1: weitreichend, ihre weitreichenden Köpfe lesen ein abgerufenes Präfix</translation>
    </message>
    <message>
        <source>Layer %1: no retrieval</source>
        <translation>Schicht %1: kein Retrieval</translation>
    </message>
    <message>
        <source>Layer %1, head %2 (KV head %3): </source>
        <translation>Schicht %1, Kopf %2 (KV-Kopf %3): </translation>
    </message>
    <message>
        <source>Arrows move, Space toggles the head, L toggles the layer, S makes the head search for all readers.</source>
        <translation>Pfeiltasten bewegen, Leertaste schaltet den Kopf um, L die Schicht, mit S sucht der Kopf für alle Leser.</translation>
    </message>
    <message>
        <source>search without head %1</source>
        <translation>ohne Kopf %1 suchen</translation>
    </message>
    <message>
        <source>search with head %1</source>
        <translation>mit Kopf %1 suchen</translation>
    </message>
    <message>
        <source>; it searches for all readers</source>
        <translation>; er sucht für alle Leser</translation>
    </message>
    <message>
        <source>local, reads %1</source>
        <translation>lokal, liest %1</translation>
    </message>
    <message>
        <source>retrieving, reads %1</source>
        <translation>abrufend, liest %1</translation>
    </message>
    <message>
        <source>only the segment</source>
        <translation>nur das Segment</translation>
    </message>
    <message>
        <source>%1 and the segment</source>
        <translation>%1 und das Segment</translation>
    </message>
    <message>
        <source>Patch layer %1, head %2 from the pinned run</source>
        <translation>Schicht %1, Kopf %2 aus dem angehefteten Lauf einsetzen</translation>
    </message>
    <message>
        <source>Patch all heads of layer %1 from the pinned run</source>
        <translation>Alle Köpfe von Schicht %1 aus dem angehefteten Lauf einsetzen</translation>
    </message>
    <message>
        <source>no segment has been run</source>
        <translation>noch wurde kein Segment ausgeführt</translation>
    </message>
    <message>
        <source>Runs segment %1 again with the outputs of B in that segment</source>
        <translation>Führt Segment %1 noch einmal aus, mit den Ausgaben von B in diesem Segment</translation>
    </message>
    <message>
        <source>Pattern of layer %1, head %2…</source>
        <translation>Muster von Schicht %1, Kopf %2 …</translation>
    </message>
    <message>
        <source>Pattern of layer %1, head %2</source>
        <translation>Muster von Schicht %1, Kopf %2</translation>
    </message>
    <message>
        <source>pattern of head %1.%2</source>
        <translation>Muster von Kopf %1.%2</translation>
    </message>
    <message>
        <source>make layer %1 not long-range</source>
        <translation>Schicht %1 nicht weitreichend machen</translation>
    </message>
    <message>
        <source>long-range, in a layer that does not retrieve, reads %1</source>
        <translation>weitreichend, in einer Schicht, die nicht abruft, liest %1</translation>
    </message>
    <message>
        <source>Layer %1 sees only the last %2 tokens, by the model&apos;s own window: it can&apos;t retrieve</source>
        <translation>Schicht %1 sieht nur die letzten %2 Token, durch das eigene Fenster des Modells: Sie kann nichts abrufen</translation>
    </message>
    <message>
        <source>Layer %1: sees the last %2 tokens, by the model&apos;s own window</source>
        <translation>Schicht %1: sieht die letzten %2 Token, durch das eigene Fenster des Modells</translation>
    </message>
    <message>
        <source>sees the last %1 tokens</source>
        <translation>sieht die letzten %1 Token</translation>
    </message>
</context>
<context>
    <name>HeadGridPanel</name>
    <message>
        <source>local</source>
        <translation>lokal</translation>
    </message>
    <message>
        <source>long</source>
        <translation>weitreichend</translation>
    </message>
    <message>
        <source>retrieving</source>
        <translation>abrufend</translation>
    </message>
    <message>
        <source>Heads × layers</source>
        <translation>Köpfe × Schichten</translation>
    </message>
    <message>
        <source>The weights were trained with other settings, which are shown in brackets</source>
        <translation>Die Gewichte wurden mit anderen Einstellungen trainiert; sie stehen in Klammern</translation>
    </message>
    <message>
        <source>as trained</source>
        <translation>wie trainiert</translation>
    </message>
    <message>
        <source>Groupings that fit this model</source>
        <translation>Gruppierungen, die zu diesem Modell passen</translation>
    </message>
    <message>
        <source>Grouping preset</source>
        <translation>Vorlage der Gruppierung</translation>
    </message>
    <message>
        <source>Edit the grouping</source>
        <translation>Die Gruppierung bearbeiten</translation>
    </message>
    <message>
        <source>grouping “%1”</source>
        <translation>Gruppierung „%1“</translation>
    </message>
    <message>
        <source>Grid of heads</source>
        <translation>Raster der Köpfe</translation>
    </message>
    <message>
        <source>searches</source>
        <translation>sucht</translation>
    </message>
    <message>
        <source>Edit: click or drag over heads, click a layer&apos;s number, Shift-click: search for all readers (undo: Ctrl+Z). Off: a click selects a head.</source>
        <translation>Bearbeiten: Köpfe anklicken oder überstreichen, die Nummer einer Schicht anklicken, Umschalt-Klick: für alle Leser suchen (rückgängig: Strg+Z). Aus: ein Klick wählt einen Kopf.</translation>
    </message>
    <message>
        <source>Custom</source>
        <translation>eigene</translation>
    </message>
    <message>
        <source>Differs from training</source>
        <translation>Weicht vom Training ab</translation>
    </message>
    <message>
        <source>Differs from training:</source>
        <translation>Weicht vom Training ab:</translation>
    </message>
    <message>
        <source>Restore training settings</source>
        <translation>Einstellungen des Trainings wiederherstellen</translation>
    </message>
    <message>
        <source>α = %1 local · β = %2 long layers&lt;br&gt;%8 = &lt;b&gt;%3&lt;/b&gt; tokens seen&lt;br&gt;attention-visible KV &lt;b&gt;%4&lt;/b&gt; (full: %5)&lt;br&gt;pool %6 at %L7 tokens</source>
        <translation>α = %1 lokal · β = %2 weitreichende Schichten&lt;br&gt;%8 = &lt;b&gt;%3&lt;/b&gt; Token gesehen&lt;br&gt;für Attention sichtbare KV &lt;b&gt;%4&lt;/b&gt; (full: %5)&lt;br&gt;Pool %6 bei %L7 Token</translation>
    </message>
    <message>
        <source>Policy %1&lt;br&gt;attention-visible KV &lt;b&gt;%2&lt;/b&gt; (full: %3)&lt;br&gt;cache %4 at %L5 tokens</source>
        <translation>Verfahren %1&lt;br&gt;für Attention sichtbare KV &lt;b&gt;%2&lt;/b&gt; (full: %3)&lt;br&gt;Cache %4 bei %L5 Token</translation>
    </message>
    <message>
        <source>Import a grouping or head patterns</source>
        <translation>Gruppierung oder Muster der Köpfe importieren</translation>
    </message>
    <message>
        <source>Import a grouping (JSON)…</source>
        <translation>Gruppierung importieren (JSON) …</translation>
    </message>
    <message>
        <source>Import head patterns (MInference&apos;s JSON)…</source>
        <translation>Muster der Köpfe importieren (JSON von MInference) …</translation>
    </message>
    <message>
        <source>Export the grouping or the head patterns</source>
        <translation>Gruppierung oder Muster der Köpfe exportieren</translation>
    </message>
    <message>
        <source>Export the grouping (JSON)…</source>
        <translation>Gruppierung exportieren (JSON) …</translation>
    </message>
    <message>
        <source>Export the head patterns (MInference&apos;s JSON)…</source>
        <translation>Muster der Köpfe exportieren (JSON von MInference) …</translation>
    </message>
    <message>
        <source>window</source>
        <translation>Fenster</translation>
    </message>
</context>
<context>
    <name>HeadPatterns</name>
    <message>
        <source>vertical and slash</source>
        <translation>Spalten und Diagonalen</translation>
    </message>
    <message>
        <source>A-shape</source>
        <translation>A-Form</translation>
    </message>
    <message>
        <source>block-sparse</source>
        <translation>block-sparse</translation>
    </message>
    <message>
        <source>%1, %2 columns, %3 diagonals</source>
        <translation>%1, %2 Spalten, %3 Diagonalen</translation>
    </message>
    <message>
        <source>%1, %2 sinks, a window of %3 tokens</source>
        <translation>%1, %2 Sinks, ein Fenster von %3 Token</translation>
    </message>
    <message>
        <source>%1, %2 blocks of keys for a block of queries</source>
        <translation>%1, %2 Blöcke von Keys je Block von Queries</translation>
    </message>
    <message>
        <source>none: %1 columns, %2 diagonals</source>
        <translation>keine: %1 Spalten, %2 Diagonalen</translation>
    </message>
    <message>
        <source>%1 layers, %2 heads listed</source>
        <translation>%1 Schichten, %2 Köpfe aufgeführt</translation>
    </message>
</context>
<context>
    <name>HeadProbeForm</name>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Random tokens, repeated once: only copying predicts the second half</source>
        <translation>Zufällige Token, einmal wiederholt: Nur Kopieren sagt die zweite Hälfte voraus</translation>
    </message>
    <message>
        <source>Needles</source>
        <translation>Nadeln</translation>
    </message>
    <message>
        <source>Key and value pairs in a haystack; the key at the end asks for its value</source>
        <translation>Schlüssel-Wert-Paare in einem Heuhaufen; der Schlüssel am Ende fragt nach seinem Wert</translation>
    </message>
    <message>
        <source>Open text</source>
        <translation>Offener Text</translation>
    </message>
    <message>
        <source>Passages of the open text, repeated at its end</source>
        <translation>Stellen des offenen Textes, an seinem Ende wiederholt</translation>
    </message>
    <message>
        <source> tokens</source>
        <translation> Token</translation>
    </message>
    <message>
        <source>Length of a probe</source>
        <translation>Länge einer Probe</translation>
    </message>
    <message>
        <source>Length of each probe, which is one segment under full attention</source>
        <translation>Länge jeder Probe; sie ist ein Segment unter voller Attention</translation>
    </message>
    <message>
        <source>Profile</source>
        <translation>Vermessen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Cancelling…</source>
        <translation>Wird abgebrochen …</translation>
    </message>
    <message>
        <source>Progress of the profile</source>
        <translation>Fortschritt des Vermessens</translation>
    </message>
    <message>
        <source>No model is open</source>
        <translation>Kein Modell ist offen</translation>
    </message>
    <message>
        <source>A profile is running</source>
        <translation>Das Vermessen läuft schon</translation>
    </message>
    <message>
        <source>Not now: %1</source>
        <translation>Jetzt nicht: %1</translation>
    </message>
    <message>
        <source>Choose a kind of probe</source>
        <translation>Wählen Sie eine Art von Probe</translation>
    </message>
    <message>
        <source>No text is open</source>
        <translation>Kein Text ist offen</translation>
    </message>
    <message>
        <source>The open text has %L1 tokens: too few for probes of %L2</source>
        <translation>Der offene Text hat %L1 Token: zu wenige für Proben von %L2</translation>
    </message>
    <message>
        <source>Score every head by its attention on the token to be copied</source>
        <translation>Bewertet jeden Kopf nach seiner Attention auf das zu kopierende Token</translation>
    </message>
    <message>
        <source>waiting for the engine</source>
        <translation>wartet auf den Rechenkern</translation>
    </message>
</context>
<context>
    <name>HeadProfileController</name>
    <message>
        <source>Scoring the heads was cancelled</source>
        <translation>Die Bewertung der Köpfe wurde abgebrochen</translation>
    </message>
    <message>
        <source>Scoring all heads on probes of %L1 tokens</source>
        <translation>Bewertet alle Köpfe an Proben von %L1 Token</translation>
    </message>
    <message>
        <source>Scored %1 layers × %2 heads</source>
        <translation>%1 Schichten × %2 Köpfe bewertet</translation>
    </message>
    <message>
        <source>head scores</source>
        <translation>Bewertung der Köpfe</translation>
    </message>
    <message>
        <source>scoring the heads is using the engine</source>
        <translation>die Bewertung der Köpfe benutzt den Rechenkern</translation>
    </message>
</context>
<context>
    <name>HeadScoreFiles</name>
    <message>
        <source>has a suffix that is not supported</source>
        <translation>hat eine Endung, die nicht unterstützt wird</translation>
    </message>
    <message>
        <source>Use .tsv (DuoAttention) or .json (retrieval heads).</source>
        <translation>Verwenden Sie .tsv (DuoAttention) oder .json (Retrieval-Köpfe).</translation>
    </message>
</context>
<context>
    <name>HeadScoreMap</name>
    <message>
        <source>retrieving</source>
        <translation>abrufend</translation>
    </message>
    <message>
        <source>long, in a layer that does not retrieve</source>
        <translation>weitreichend, in einer Schicht, die nicht abruft</translation>
    </message>
    <message>
        <source>local</source>
        <translation>lokal</translation>
    </message>
    <message>
        <source>Head</source>
        <translation>Kopf</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>Which heads retrieve: %1</source>
        <translation>Welche Köpfe abrufen: %1</translation>
    </message>
    <message>
        <source>current</source>
        <translation>aktuell</translation>
    </message>
    <message>
        <source>proposed</source>
        <translation>vorgeschlagen</translation>
    </message>
    <message>
        <source>layer %1, head %2 · %3
score %4 · rank %5 of %6</source>
        <translation>Schicht %1, Kopf %2 · %3
Wertung %4 · Rang %5 von %6</translation>
    </message>
</context>
<context>
    <name>HeadScoreSets</name>
    <message>
        <source>random tokens again</source>
        <translation>zufällige Token noch einmal</translation>
    </message>
    <message>
        <source>needles</source>
        <translation>Nadeln</translation>
    </message>
    <message>
        <source>passages of the text</source>
        <translation>Stellen des Textes</translation>
    </message>
    <message>
        <source>all probes</source>
        <translation>alle Proben</translation>
    </message>
    <message>
        <source>scores of %1</source>
        <translation>Wertungen von %1</translation>
    </message>
</context>
<context>
    <name>HitChangesTable</name>
    <message>
        <source>+ added</source>
        <translation>+ hinzugefügt</translation>
    </message>
    <message>
        <source>− removed</source>
        <translation>− entfernt</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>Änderung</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>Head</source>
        <translation>Kopf</translation>
    </message>
    <message>
        <source>Position</source>
        <translation>Position</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
</context>
<context>
    <name>HitLists</name>
    <message>
        <source>shared</source>
        <translation>gemeinsam</translation>
    </message>
    <message>
        <source>L%1 H%2</source>
        <translation>L%1 H%2</translation>
    </message>
</context>
<context>
    <name>HitsModel</name>
    <message>
        <source>Segment</source>
        <translation>Segment</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>Head</source>
        <translation>Kopf</translation>
    </message>
    <message>
        <source>Slot</source>
        <translation>Platz</translation>
    </message>
    <message>
        <source>Position</source>
        <translation>Position</translation>
    </message>
    <message>
        <source>Distance</source>
        <translation>Abstand</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>Score</source>
        <translation>Wertung</translation>
    </message>
    <message>
        <source>Anchor</source>
        <translation>Anker</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>Segment that reads the hit</source>
        <translation>Segment, das den Treffer liest</translation>
    </message>
    <message>
        <source>Query head</source>
        <translation>Query-Kopf</translation>
    </message>
    <message>
        <source>Index in the retrieved prefix, which is also the re-indexed RoPE position</source>
        <translation>Index im abgerufenen Präfix, zugleich die neu gezählte RoPE-Position</translation>
    </message>
    <message>
        <source>Absolute position of the token in the text</source>
        <translation>Absolute Position des Tokens im Text</translation>
    </message>
    <message>
        <source>Tokens from the position to the start of the segment that reads it</source>
        <translation>Token von der Position bis zum Anfang des Segments, das sie liest</translation>
    </message>
    <message>
        <source>Anchor: selected by its score. Expanded: next to an anchor. Padding: fills the prefix</source>
        <translation>Anker: nach seiner Wertung ausgewählt. Erweitert: neben einem Anker. Auffüllung: füllt das Präfix auf</translation>
    </message>
    <message>
        <source>Raw dot product of the best query summary with the unrotated key; an expanded hit has its anchor&apos;s</source>
        <translation>Rohes Skalarprodukt der besten Zusammenfassung mit dem unrotierten Key; ein erweiterter Treffer hat das seines Ankers</translation>
    </message>
    <message>
        <source>Position of the anchor it belongs to</source>
        <translation>Position des Ankers, zu dem er gehört</translation>
    </message>
    <message>
        <source>Text around the position</source>
        <translation>Der Text um die Position</translation>
    </message>
    <message>
        <source>Mass</source>
        <translation>Masse</translation>
    </message>
    <message>
        <source>Share of the head&apos;s attention on the slot, mean over the segment&apos;s queries</source>
        <translation>Anteil der Attention des Kopfes, der auf dem Platz liegt, Mittel über die Queries des Segments</translation>
    </message>
</context>
<context>
    <name>HitsPanel</name>
    <message>
        <source>Hits</source>
        <translation>Treffer</translation>
    </message>
    <message>
        <source>Selected segment and head</source>
        <translation>Gewähltes Segment und gewählter Kopf</translation>
    </message>
    <message>
        <source>Selected segment, all heads</source>
        <translation>Gewähltes Segment, alle Köpfe</translation>
    </message>
    <message>
        <source>Selected head, all segments</source>
        <translation>Gewählter Kopf, alle Segmente</translation>
    </message>
    <message>
        <source>Hits listed</source>
        <translation>Aufgeführte Treffer</translation>
    </message>
    <message>
        <source>Text or position</source>
        <translation>Text oder Position</translation>
    </message>
    <message>
        <source>Filter hits by text or position</source>
        <translation>Treffer nach Text oder Position filtern</translation>
    </message>
    <message>
        <source>Anchors</source>
        <translation>Anker</translation>
    </message>
    <message>
        <source>Expanded</source>
        <translation>Erweiterte</translation>
    </message>
    <message>
        <source>Padding</source>
        <translation>Auffüllung</translation>
    </message>
    <message>
        <source>expanded</source>
        <translation>erweitert</translation>
    </message>
    <message>
        <source>%1 of %2 hits</source>
        <translation>%1 von %2 Treffern</translation>
    </message>
    <message>
        <source>Export the hits</source>
        <translation>Treffer exportieren</translation>
    </message>
    <message>
        <source>, and more in later segments: drag a range in the ribbon</source>
        <translation>, und mehr in späteren Segmenten: ziehen Sie im Band einen Bereich auf</translation>
    </message>
    <message>
        <source>Select a head</source>
        <translation>Wählen Sie einen Kopf</translation>
    </message>
    <message>
        <source>&amp;Remove in the what-if</source>
        <translation>Im Versuch &amp;entfernen</translation>
    </message>
</context>
<context>
    <name>HubFetch</name>
    <message>
        <source>Fetch</source>
        <translation>Holen</translation>
    </message>
    <message>
        <source>Progress of the fetch</source>
        <translation>Fortschritt des Holens</translation>
    </message>
    <message>
        <source>State of the fetch</source>
        <translation>Stand des Holens</translation>
    </message>
    <message>
        <source>%1: %2 of %3</source>
        <translation>%1: %2 von %3</translation>
    </message>
    <message>
        <source>Stopped. What has come is kept, and Fetch continues.</source>
        <translation>Angehalten. Was gekommen ist, bleibt, und Holen macht weiter.</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stopp</translation>
    </message>
    <message>
        <source>Asking the hub…</source>
        <translation>Frage den Hub…</translation>
    </message>
</context>
<context>
    <name>IdentityBar</name>
    <message>
        <source>other weights</source>
        <translation>andere Gewichte</translation>
    </message>
    <message>
        <source>another dtype</source>
        <translation>anderer dtype</translation>
    </message>
    <message>
        <source>Open model</source>
        <translation>Offenes Modell</translation>
    </message>
    <message>
        <source>Open text</source>
        <translation>Offener Text</translation>
    </message>
    <message>
        <source>Weights of the shown run</source>
        <translation>Gewichte des gezeigten Laufs</translation>
    </message>
    <message>
        <source>no model</source>
        <translation>kein Modell</translation>
    </message>
    <message>
        <source>No model is open</source>
        <translation>Kein Modell ist offen</translation>
    </message>
    <message>
        <source>connecting</source>
        <translation>verbindet</translation>
    </message>
    <message>
        <source>Engine: %1</source>
        <translation>Rechenkern: %1</translation>
    </message>
    <message>
        <source>Click to choose the model or its adapter</source>
        <translation>Anklicken, um Modell oder Adapter zu wählen</translation>
    </message>
    <message>
        <source>its model is not open</source>
        <translation>sein Modell ist nicht offen</translation>
    </message>
    <message>
        <source>⚠ Shown run, %1: %2</source>
        <translation>⚠ Gezeigter Lauf, %1: %2</translation>
    </message>
    <message>
        <source>The shown run was made with these weights, not with the open model&apos;s. Views that run segments again, and what-ifs, are not available.</source>
        <translation>Der gezeigte Lauf entstand mit diesen Gewichten, nicht mit denen des offenen Modells. Ansichten, die Segmente noch einmal ausführen, und Versuche sind nicht verfügbar.</translation>
    </message>
    <message>
        <source>Offer</source>
        <translation>Angebot</translation>
    </message>
    <message>
        <source>another text</source>
        <translation>ein anderer Text</translation>
    </message>
    <message>
        <source>Shown run: %1</source>
        <translation>Gezeigter Lauf: %1</translation>
    </message>
    <message>
        <source>The shown run read %1, which is not the open text. Run reads the open text.</source>
        <translation>Der gezeigte Lauf las %1, nicht den offenen Text. „Lauf“ liest den offenen Text.</translation>
    </message>
    <message>
        <source>Open document state</source>
        <translation>Offener Zustand des Dokuments</translation>
    </message>
    <message>
        <source>Document state: %1</source>
        <translation>Zustand des Dokuments: %1</translation>
    </message>
    <message>
        <source>Questions are about this document; it is not read again</source>
        <translation>Fragen gelten diesem Dokument, das nicht noch einmal gelesen wird</translation>
    </message>
    <message>
        <source>disconnected</source>
        <translation>nicht verbunden</translation>
    </message>
    <message>
        <source>Run all</source>
        <translation>Alles ausführen</translation>
    </message>
    <message>
        <source>· %L1 of %L2 tokens</source>
        <translation>· %L1 von %L2 Token</translation>
    </message>
    <message>
        <source> It takes about %1 at this run&apos;s speed.</source>
        <translation> Das dauert bei der Geschwindigkeit dieses Laufs etwa %1.</translation>
    </message>
    <message>
        <source>The shown run read a part of the text. Run the whole text with the settings of now.</source>
        <translation>Der gezeigte Lauf hat einen Teil des Textes gelesen. Führt den ganzen Text mit den jetzigen Einstellungen aus.</translation>
    </message>
    <message>
        <source>run the whole text</source>
        <translation>den ganzen Text ausführen</translation>
    </message>
</context>
<context>
    <name>InspectionView</name>
    <message>
        <source>Waiting: %1</source>
        <translation>Wartet: %1</translation>
    </message>
    <message>
        <source>Running the segment again to inspect it…</source>
        <translation>Führt das Segment noch einmal aus, um es zu untersuchen …</translation>
    </message>
</context>
<context>
    <name>InstalledModels</name>
    <message>
        <source>Words that a model&apos;s row has</source>
        <translation>Wörter, die in der Zeile eines Modells stehen</translation>
    </message>
    <message>
        <source>Reading…</source>
        <translation>Wird gelesen …</translation>
    </message>
    <message>
        <source>Models on this computer</source>
        <translation>Modelle auf diesem Rechner</translation>
    </message>
    <message>
        <source>No models on this computer yet.</source>
        <translation>Noch keine Modelle auf diesem Rechner.</translation>
    </message>
    <message>
        <source>Found %L1, of which Carryover opens %L2. A grey one says why not.</source>
        <translation>%L1 gefunden; Carryover öffnet %L2 davon. Ein graues sagt, warum nicht.</translation>
    </message>
    <message>
        <source>Found %L1; Carryover opens all.</source>
        <translation>%L1 gefunden; Carryover öffnet alle.</translation>
    </message>
    <message>
        <source>Memory for</source>
        <translation>Speicher für</translation>
    </message>
    <message>
        <source> tokens</source>
        <translation> Token</translation>
    </message>
    <message>
        <source>Length of the text for which memory is told</source>
        <translation>Länge des Textes, für die der Speicher angegeben wird</translation>
    </message>
</context>
<context>
    <name>InstalledTable</name>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Family</source>
        <translation>Familie</translation>
    </message>
    <message>
        <source>Models of the same architecture</source>
        <translation>Modelle derselben Architektur</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>In millions (M) or billions (B)</source>
        <translation>In Millionen (M) oder Milliarden (B)</translation>
    </message>
    <message>
        <source>Stored as</source>
        <translation>Gespeichert als</translation>
    </message>
    <message>
        <source>Format of the weights</source>
        <translation>Format der Gewichte</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>Kontext</translation>
    </message>
    <message>
        <source>Tokens that the model was trained for</source>
        <translation>Tokens, für die das Modell trainiert wurde</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Of its files</source>
        <translation>Seiner Dateien</translation>
    </message>
    <message>
        <source>Kept by</source>
        <translation>Verwaltet von</translation>
    </message>
    <message>
        <source>The program whose folder it lies in</source>
        <translation>Das Programm, in dessen Ordner es liegt</translation>
    </message>
    <message>
        <source>%1
Does not open: %2. %3</source>
        <translation>%1
Öffnet nicht: %2. %3</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Forecast for a text of the length above, on the CPU, with the settings that the model opens with</source>
        <translation>Vorhersage für einen Text der Länge darüber, auf der CPU, mit den Einstellungen, mit denen das Modell sich öffnet</translation>
    </message>
</context>
<context>
    <name>Lab</name>
    <message>
        <source>open a model first</source>
        <translation>öffnen Sie zuerst ein Modell</translation>
    </message>
    <message>
        <source>the engine runs on another machine: evaluate there, with carryover-cli eval</source>
        <translation>der Rechenkern läuft auf einem anderen Rechner: Werten Sie dort aus, mit carryover-cli eval</translation>
    </message>
</context>
<context>
    <name>LabContext</name>
    <message>
        <source>only segments %1 to %2</source>
        <translation>nur Segmente %1 bis %2</translation>
    </message>
    <message>
        <source>all segments</source>
        <translation>alle Segmente</translation>
    </message>
    <message>
        <source>Written: %1</source>
        <translation>Geschrieben: %1</translation>
    </message>
    <message>
        <source>The bookmark “%1” belongs to %2: open that run first</source>
        <translation>Das Lesezeichen „%1“ gehört zu %2: Öffnen Sie zuerst diesen Lauf</translation>
    </message>
</context>
<context>
    <name>LabDialogs</name>
    <message>
        <source>the engine&apos;s machine</source>
        <translation>dem Rechner des Rechenkerns</translation>
    </message>
    <message>
        <source>Open a text</source>
        <translation>Text öffnen</translation>
    </message>
    <message>
        <source>Text (*.txt *.md);;All files (*)</source>
        <translation>Text (*.txt *.md);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Paste a text</source>
        <translation>Text einfügen</translation>
    </message>
    <message>
        <source>Any UTF-8 text</source>
        <translation>Ein beliebiger UTF-8-Text</translation>
    </message>
    <message>
        <source>Open the folder of a run</source>
        <translation>Ordner eines Laufs öffnen</translation>
    </message>
    <message>
        <source>Training starts from the model without the open adapter %1. To train on top of the adapter, export the merged model first.</source>
        <translation>Das Training beginnt mit dem Modell ohne den offenen Adapter %1. Um auf dem Adapter aufzubauen, exportieren Sie zuerst das Modell mit eingerechnetem Adapter.</translation>
    </message>
    <message>
        <source>the open one is on another machine; choose a shape</source>
        <translation>das offene liegt auf einem anderen Rechner; wählen Sie eine Form</translation>
    </message>
    <message>
        <source>Open a document&apos;s state</source>
        <translation>Zustand eines Dokuments öffnen</translation>
    </message>
    <message>
        <source>Save the document&apos;s state</source>
        <translation>Zustand des Dokuments sichern</translation>
    </message>
    <message>
        <source>Its path on the engine&apos;s machine</source>
        <translation>Sein Pfad auf dem Rechner des Rechenkerns</translation>
    </message>
    <message>
        <source>Document states (*.%1);;All files (*)</source>
        <translation>Zustände von Dokumenten (*.%1);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>LibTorch: not opened yet</source>
        <translation>LibTorch: noch nicht geöffnet</translation>
    </message>
    <message>
        <source>Carryover %1</source>
        <translation>Carryover %1</translation>
    </message>
    <message>
        <source>A lab for language models that read long texts in segments</source>
        <translation>Ein Labor für Sprachmodelle, die lange Texte in Segmenten lesen</translation>
    </message>
    <message>
        <source>Licence: GNU General Public License, version 3 or later</source>
        <translation>Lizenz: GNU General Public License, Version 3 oder neuer</translation>
    </message>
    <message>
        <source>About Carryover</source>
        <translation>Über Carryover</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
</context>
<context>
    <name>LabMenus</name>
    <message>
        <source>&amp;File</source>
        <translation>&amp;Datei</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exportieren</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>&amp;Bearbeiten</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>&amp;Ansicht</translation>
    </message>
    <message>
        <source>Inspect</source>
        <translation>Untersuchen</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>Trainieren</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>Messen</translation>
    </message>
    <message>
        <source>Next panel</source>
        <translation>Nächste Ansicht</translation>
    </message>
    <message>
        <source>Previous panel</source>
        <translation>Vorige Ansicht</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>&amp;Lauf</translation>
    </message>
    <message>
        <source>&amp;Train</source>
        <translation>&amp;Trainieren</translation>
    </message>
    <message>
        <source>Experiment…</source>
        <translation>Experiment…</translation>
    </message>
    <message>
        <source>&amp;Measure</source>
        <translation>&amp;Messen</translation>
    </message>
    <message>
        <source>Benchmark…</source>
        <translation>Benchmark…</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>&amp;Hilfe</translation>
    </message>
    <message>
        <source>Evaluate…</source>
        <translation>Auswerten …</translation>
    </message>
</context>
<context>
    <name>LabToolbar</name>
    <message>
        <source>Toolbar</source>
        <translation>Werkzeugleiste</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Export</translation>
    </message>
    <message>
        <source>Export plots, settings and the run</source>
        <translation>Diagramme, Einstellungen und den Lauf exportieren</translation>
    </message>
    <message>
        <source>Light or dark</source>
        <translation>Hell oder dunkel</translation>
    </message>
    <message>
        <source>F12</source>
        <translation>F12</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Open a model, with or without an adapter</source>
        <translation>Ein Modell öffnen, mit oder ohne Adapter</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>Ctrl+T</source>
        <translation>Ctrl+T</translation>
    </message>
    <message>
        <source>Open a UTF-8 text</source>
        <translation>Text öffnen (UTF-8)</translation>
    </message>
    <message>
        <source>Ctrl+Shift+V</source>
        <translation>Ctrl+Shift+V</translation>
    </message>
    <message>
        <source>Paste a text</source>
        <translation>Text einfügen</translation>
    </message>
    <message>
        <source>Open model…</source>
        <translation>Modell öffnen…</translation>
    </message>
    <message>
        <source>Remote engine…</source>
        <translation>Entfernter Rechenkern …</translation>
    </message>
    <message>
        <source>Reconnect</source>
        <translation>Neu verbinden</translation>
    </message>
    <message>
        <source>Local engine</source>
        <translation>Lokaler Rechenkern</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>F5</source>
        <translation>F5</translation>
    </message>
    <message>
        <source>Run the text in segments</source>
        <translation>Den Text in Segmenten ausführen</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stopp</translation>
    </message>
    <message>
        <source>Shift+F5</source>
        <translation>Shift+F5</translation>
    </message>
    <message>
        <source>Stop: finished work is kept, and a training saves a checkpoint</source>
        <translation>Stopp: Fertiges bleibt erhalten, und ein Training sichert einen Checkpoint</translation>
    </message>
    <message>
        <source>Fine-tune</source>
        <translation>Fine-Tuning</translation>
    </message>
    <message>
        <source>Ctrl+Shift+F</source>
        <translation>Ctrl+Shift+F</translation>
    </message>
    <message>
        <source>Fine-tune the model to segmented execution</source>
        <translation>Das Modell durch Fine-Tuning an segmentierte Ausführung anpassen</translation>
    </message>
    <message>
        <source>Previous segment</source>
        <translation>Voriges Segment</translation>
    </message>
    <message>
        <source>Alt+Shift+Left</source>
        <translation>Alt+Shift+Left</translation>
    </message>
    <message>
        <source>Next segment</source>
        <translation>Nächstes Segment</translation>
    </message>
    <message>
        <source>Alt+Shift+Right</source>
        <translation>Alt+Shift+Right</translation>
    </message>
    <message>
        <source>Follow</source>
        <translation>Folgen</translation>
    </message>
    <message>
        <source>Follow: select each segment as it closes</source>
        <translation>Folgen: jedes Segment wählen, sobald es schließt</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Back to the last selection</source>
        <translation>Zurück zur letzten Auswahl</translation>
    </message>
    <message>
        <source>Forward</source>
        <translation>Vor</translation>
    </message>
    <message>
        <source>Forward again</source>
        <translation>Wieder vor</translation>
    </message>
    <message>
        <source>Pin as B</source>
        <translation>Als B anheften</translation>
    </message>
    <message>
        <source>Ctrl+Shift+B</source>
        <translation>Ctrl+Shift+B</translation>
    </message>
    <message>
        <source>Pin this run as B, to compare later runs with it</source>
        <translation>Diesen Lauf als B anheften, um spätere Läufe mit ihm zu vergleichen</translation>
    </message>
    <message>
        <source>Run the text in segments (F5)</source>
        <translation>Den Text in Segmenten ausführen (F5)</translation>
    </message>
    <message>
        <source>Can&apos;t run now: %1</source>
        <translation>Jetzt kein Lauf möglich: %1</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Toggle theme</source>
        <translation>Hell oder dunkel</translation>
    </message>
    <message>
        <source>Show all keyboard shortcuts</source>
        <translation>Alle Tastenkürzel anzeigen</translation>
    </message>
    <message>
        <source>Open text…</source>
        <translation>Text öffnen…</translation>
    </message>
    <message>
        <source>Paste text…</source>
        <translation>Text einfügen…</translation>
    </message>
    <message>
        <source>Open finished run…</source>
        <translation>Fertigen Lauf öffnen…</translation>
    </message>
    <message>
        <source>Show a run from its folder</source>
        <translation>Einen Lauf aus seinem Ordner zeigen</translation>
    </message>
    <message>
        <source>Use an engine on another machine</source>
        <translation>Einen Rechenkern auf einem anderen Rechner verwenden</translation>
    </message>
    <message>
        <source>Connect to the engine again</source>
        <translation>Neu mit dem Rechenkern verbinden</translation>
    </message>
    <message>
        <source>Use this program&apos;s engine again</source>
        <translation>Wieder den Rechenkern dieses Programms verwenden</translation>
    </message>
    <message>
        <source>F7</source>
        <translation>F7</translation>
    </message>
    <message>
        <source>Pause, or resume</source>
        <translation>Pausieren oder fortsetzen</translation>
    </message>
    <message>
        <source>Fine-tune…</source>
        <translation>Fine-Tuning…</translation>
    </message>
    <message>
        <source>Previous</source>
        <translation>Voriges</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>Nächstes</translation>
    </message>
    <message>
        <source>Ctrl+F</source>
        <translation>Strg+F</translation>
    </message>
    <message>
        <source>Search the text</source>
        <translation>Den Text durchsuchen</translation>
    </message>
    <message>
        <source>Space, L</source>
        <translation>Leertaste, L</translation>
    </message>
    <message>
        <source>In the grid: toggle the head, the layer</source>
        <translation>Im Raster: Kopf oder Schicht umschalten</translation>
    </message>
    <message>
        <source>←, →</source>
        <translation>←, →</translation>
    </message>
    <message>
        <source>In the ribbon and the text: select</source>
        <translation>Im Band und im Text: auswählen</translation>
    </message>
    <message>
        <source>Open document state…</source>
        <translation>Zustand des Dokuments öffnen …</translation>
    </message>
    <message>
        <source>Save document state…</source>
        <translation>Zustand des Dokuments sichern …</translation>
    </message>
    <message>
        <source>Close document state</source>
        <translation>Zustand des Dokuments schließen</translation>
    </message>
    <message>
        <source>Ask about the shown run again</source>
        <translation>Fragen gelten wieder dem gezeigten Lauf</translation>
    </message>
    <message>
        <source>Not now: %1</source>
        <translation>Jetzt nicht: %1</translation>
    </message>
    <message>
        <source>Ask about a document without reading it again</source>
        <translation>Zu einem Dokument fragen, ohne es noch einmal zu lesen</translation>
    </message>
    <message>
        <source>Save the state after the text, to ask questions about it later</source>
        <translation>Den Zustand nach dem Text sichern, um später Fragen dazu zu stellen</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
</context>
<context>
    <name>Language</name>
    <message>
        <source>As the system</source>
        <translation>Wie das System</translation>
    </message>
</context>
<context>
    <name>Layouts</name>
    <message>
        <source>Inspect</source>
        <translation>Untersuchen</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>Trainieren</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleichen</translation>
    </message>
    <message>
        <source>Paper figure</source>
        <translation>Abbildung</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>Messen</translation>
    </message>
</context>
<context>
    <name>LensTable</name>
    <message>
        <source>embedding</source>
        <translation>Einbettung</translation>
    </message>
    <message>
        <source>The place in the model whose vector goes to the final norm and the head</source>
        <translation>Die Stelle im Modell, deren Vektor durch die letzte Norm und den Kopf des Modells geht</translation>
    </message>
    <message>
        <source>Residual stream</source>
        <translation>Residualstrom</translation>
    </message>
    <message>
        <source>Likeliest token by the residual stream there</source>
        <translation>Das dort nach dem Residualstrom wahrscheinlichste Token</translation>
    </message>
    <message>
        <source>Probability</source>
        <translation>Wahrscheinlichkeit</translation>
    </message>
    <message>
        <source>Probability of that token</source>
        <translation>Wahrscheinlichkeit dieses Tokens</translation>
    </message>
    <message>
        <source>Rank of the token that the text has here; 1 is the likeliest</source>
        <translation>Rang des Tokens, das der Text hier hat; 1 ist das wahrscheinlichste</translation>
    </message>
    <message>
        <source>Target</source>
        <translation>Ziel</translation>
    </message>
    <message>
        <source>Probability of the token that the text has here</source>
        <translation>Wahrscheinlichkeit des Tokens, das der Text hier hat</translation>
    </message>
    <message>
        <source>Carry path</source>
        <translation>Weg des Übertrags</translation>
    </message>
    <message>
        <source>Likeliest token by the sum of what attention has read from the carry and written up to this layer</source>
        <translation>Das wahrscheinlichste Token nach der Summe dessen, was die Attention bis zu dieser Schicht aus dem Übertrag gelesen und geschrieben hat</translation>
    </message>
    <message>
        <source>Target, carry path</source>
        <translation>Ziel, Weg des Übertrags</translation>
    </message>
    <message>
        <source>Probability of the text&apos;s token by that sum</source>
        <translation>Wahrscheinlichkeit des Tokens des Textes nach dieser Summe</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>Rang</translation>
    </message>
</context>
<context>
    <name>LibraryController</name>
    <message>
        <source>Runs use %1 of disk space, more than the limit of %2: delete some in Runs, or raise the limit</source>
        <translation>Läufe belegen %1 Plattenplatz, mehr als die Grenze von %2: Löschen Sie einige in „Läufe“, oder heben Sie die Grenze an</translation>
    </message>
    <message>
        <source>Stop it first, or wait for its end.</source>
        <translation>Erst anhalten oder das Ende abwarten.</translation>
    </message>
    <message>
        <source>comparison</source>
        <translation>Vergleich</translation>
    </message>
    <message>
        <source>is running</source>
        <translation>läuft noch</translation>
    </message>
    <message>
        <source>delete %1</source>
        <translation>%1 löschen</translation>
    </message>
    <message>
        <source>delete %L1 runs</source>
        <translation>%L1 Läufe löschen</translation>
    </message>
    <message>
        <source>take back %1</source>
        <translation>%1 zurückholen</translation>
    </message>
</context>
<context>
    <name>LikelyTable</name>
    <message>
        <source>Likeliest tokens</source>
        <translation>Wahrscheinlichste Token</translation>
    </message>
    <message>
        <source>The token that the text has here is marked with a dot</source>
        <translation>Ein Punkt kennzeichnet das Token, das der Text hier hat</translation>
    </message>
    <message>
        <source>As it was</source>
        <translation>Im Lauf</translation>
    </message>
    <message>
        <source>Probability in the run</source>
        <translation>Wahrscheinlichkeit im Lauf</translation>
    </message>
    <message>
        <source>No sinks</source>
        <translation>Ohne Sinks</translation>
    </message>
    <message>
        <source>Probability if no head of the segment reads the sinks</source>
        <translation>Wahrscheinlichkeit, wenn kein Kopf des Segments die Sinks liest</translation>
    </message>
    <message>
        <source>No retrieval</source>
        <translation>Ohne Abruf</translation>
    </message>
    <message>
        <source>Probability if no head of the segment reads what was retrieved</source>
        <translation>Wahrscheinlichkeit, wenn kein Kopf des Segments das Abgerufene liest</translation>
    </message>
    <message>
        <source>No carry</source>
        <translation>Ohne Übertrag</translation>
    </message>
    <message>
        <source>Probability if no head of the segment reads the carry</source>
        <translation>Wahrscheinlichkeit, wenn kein Kopf des Segments den Übertrag liest</translation>
    </message>
</context>
<context>
    <name>LogPanel</name>
    <message>
        <source>Log</source>
        <translation>Protokoll</translation>
    </message>
    <message>
        <source>All lines</source>
        <translation>Alle Zeilen</translation>
    </message>
    <message>
        <source>Warnings and errors</source>
        <translation>Warnungen und Fehler</translation>
    </message>
    <message>
        <source>Errors</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Lines shown</source>
        <translation>Gezeigte Zeilen</translation>
    </message>
    <message>
        <source>&amp;Save…</source>
        <translation>&amp;Sichern …</translation>
    </message>
    <message>
        <source>Nothing logged yet</source>
        <translation>Noch nichts vermerkt</translation>
    </message>
    <message>
        <source>Log lines</source>
        <translation>Zeilen des Protokolls</translation>
    </message>
    <message>
        <source>error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>warning</source>
        <translation>Warnung</translation>
    </message>
    <message>
        <source>Save the log</source>
        <translation>Protokoll sichern</translation>
    </message>
    <message>
        <source>The log can&apos;t be saved as %1: %2</source>
        <translation>Das Protokoll lässt sich nicht als %1 sichern: %2</translation>
    </message>
</context>
<context>
    <name>LogitShareTable</name>
    <message>
        <source>sinks</source>
        <translation>Sinks</translation>
    </message>
    <message>
        <source>retrieved</source>
        <translation>Abgerufenes</translation>
    </message>
    <message>
        <source>carry</source>
        <translation>Übertrag</translation>
    </message>
    <message>
        <source>segment</source>
        <translation>Segment</translation>
    </message>
    <message>
        <source>mostly %1</source>
        <translation>vor allem %1</translation>
    </message>
    <message>
        <source>activation %1</source>
        <translation>Aktivierung %1</translation>
    </message>
    <message>
        <source>layer %1, head %2</source>
        <translation>Schicht %1, Kopf %2</translation>
    </message>
    <message>
        <source>layer %1, neuron %2</source>
        <translation>Schicht %1, Neuron %2</translation>
    </message>
    <message>
        <source>Δ logit</source>
        <translation>Δ Logit</translation>
    </message>
</context>
<context>
    <name>LossByPosition</name>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>Loss by position: %1</source>
        <translation>Verlust nach Position: %1</translation>
    </message>
    <message>
        <source>Position (tokens)</source>
        <translation>Position (Token)</translation>
    </message>
    <message>
        <source>Loss (nats)</source>
        <translation>Verlust (nat)</translation>
    </message>
    <message>
        <source>No run of this text is finished: run the other cells of the experiment</source>
        <translation>Kein Lauf dieses Textes ist fertig: Führen Sie die übrigen Zellen des Experiments aus</translation>
    </message>
</context>
<context>
    <name>LossPanel</name>
    <message>
        <source>Loss</source>
        <translation>Verlust</translation>
    </message>
    <message>
        <source>Negative log-likelihood</source>
        <translation>Negative Log-Likelihood</translation>
    </message>
    <message>
        <source>Segment</source>
        <translation>Segment</translation>
    </message>
    <message>
        <source>segment</source>
        <translation>Segment</translation>
    </message>
    <message>
        <source>cumulative mean</source>
        <translation>kumulativer Mittelwert</translation>
    </message>
    <message>
        <source>PPL</source>
        <translation>PPL</translation>
    </message>
    <message>
        <source>NLL (nats)</source>
        <translation>NLL (nat)</translation>
    </message>
    <message>
        <source>A single token has no loss: no token follows it</source>
        <translation>Ein einzelnes Token hat keinen Verlust: Es folgt kein Token</translation>
    </message>
</context>
<context>
    <name>LostSinksPlot</name>
    <message>
        <source>Perplexity at %1 tokens against lost attention sinks</source>
        <translation>Perplexität bei %1 Token gegen verlorene Attention-Sinks</translation>
    </message>
    <message>
        <source>Segments that lost their attention sink (%)</source>
        <translation>Segmente, die ihren Attention-Sink verloren haben (%)</translation>
    </message>
    <message>
        <source>Perplexity</source>
        <translation>Perplexität</translation>
    </message>
    <message>
        <source>No run with a carry or retrieval measured its attention sinks</source>
        <translation>Kein Lauf mit Übertrag oder Retrieval hat seine Attention-Sinks gemessen</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Carryover</source>
        <translation>Carryover</translation>
    </message>
    <message>
        <source>Context ribbon</source>
        <translation>Kontextband</translation>
    </message>
    <message>
        <source>Reconnect</source>
        <translation>Neu verbinden</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>Erneut versuchen</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Beenden</translation>
    </message>
</context>
<context>
    <name>MemoryEstimate</name>
    <message>
        <source>Weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>Gradients</source>
        <translation>Gradienten</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>Optimierer</translation>
    </message>
    <message>
        <source>Forward and backward</source>
        <translation>Vorwärts- und Rückwärtslauf</translation>
    </message>
    <message>
        <source>estimated</source>
        <translation>geschätzt</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>gemessen</translation>
    </message>
    <message>
        <source>Total</source>
        <translation>Summe</translation>
    </message>
    <message>
        <source>%1 is free: the training fits, with a margin of 10 %.</source>
        <translation>%1 sind frei: Das Training passt, mit einer Reserve von 10 %.</translation>
    </message>
    <message>
        <source>%1 is free: the training may not fit. Shorten segments, train an adapter (LoRA), or turn on checkpointing.</source>
        <translation>%1 sind frei: Das Training passt womöglich nicht. Verkürzen Sie Segmente, trainieren Sie einen Adapter (LoRA), oder schalten Sie Checkpointing ein.</translation>
    </message>
</context>
<context>
    <name>MemoryPanel</name>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>Full attention&apos;s KV</source>
        <translation>KV bei voller Attention</translation>
    </message>
    <message>
        <source>Logarithmic</source>
        <translation>Logarithmisch</translation>
    </message>
    <message>
        <source>Draw each kind of memory as a separate curve instead of stacking them</source>
        <translation>Jede Art von Speicher als eigene Kurve, nicht gestapelt</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>attention-visible KV</source>
        <translation>für Attention sichtbare KV</translation>
    </message>
    <message>
        <source>carry</source>
        <translation>Übertrag</translation>
    </message>
    <message>
        <source>pool</source>
        <translation>Pool</translation>
    </message>
    <message>
        <source>activations</source>
        <translation>Aktivierungen</translation>
    </message>
    <message>
        <source>predicted total</source>
        <translation>vorhergesagte Summe</translation>
    </message>
    <message>
        <source>full attention&apos;s KV</source>
        <translation>KV bei voller Attention</translation>
    </message>
    <message>
        <source>Tokens read</source>
        <translation>Gelesene Token</translation>
    </message>
    <message>
        <source>Memory (MB)</source>
        <translation>Speicher (MB)</translation>
    </message>
    <message>
        <source>Memory by kind</source>
        <translation>Speicher nach Art</translation>
    </message>
</context>
<context>
    <name>MessageBar</name>
    <message>
        <source>Error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>What to do</source>
        <translation>Was tun</translation>
    </message>
    <message>
        <source>Close the message</source>
        <translation>Die Meldung schließen</translation>
    </message>
    <message>
        <source>What can be done about it</source>
        <translation>Was sich dagegen tun lässt</translation>
    </message>
    <message>
        <source>Written: %1</source>
        <translation>Geschrieben: %1</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>Ordner öffnen</translation>
    </message>
    <message>
        <source>Written</source>
        <translation>Geschrieben</translation>
    </message>
    <message>
        <source>Notice</source>
        <translation>Hinweis</translation>
    </message>
</context>
<context>
    <name>ModelDialog</name>
    <message>
        <source>Open a model</source>
        <translation>Ein Modell öffnen</translation>
    </message>
    <message>
        <source>Open a model on %1</source>
        <translation>Ein Modell auf %1 öffnen</translation>
    </message>
    <message>
        <source>&amp;Model</source>
        <translation>&amp;Modell</translation>
    </message>
    <message>
        <source>&amp;Adapter</source>
        <translation>&amp;Adapter</translation>
    </message>
    <message>
        <source>d&amp;type</source>
        <translation>D&amp;type</translation>
    </message>
    <message>
        <source>&amp;Device</source>
        <translation>&amp;Gerät</translation>
    </message>
    <message>
        <source>Problem with the choice</source>
        <translation>Problem mit der Auswahl</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Model folder or GGUF file</source>
        <translation>Modellordner oder GGUF-Datei</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>File…</source>
        <translation>Datei…</translation>
    </message>
    <message>
        <source>Folder…</source>
        <translation>Ordner…</translation>
    </message>
    <message>
        <source>Choose a GGUF file</source>
        <translation>Eine GGUF-Datei wählen</translation>
    </message>
    <message>
        <source>Choose a model folder</source>
        <translation>Einen Modellordner wählen</translation>
    </message>
    <message>
        <source>GGUF (*.gguf);;All files (*)</source>
        <translation>GGUF (*.gguf);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Open a model folder</source>
        <translation>Einen Modellordner öffnen</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Keiner</translation>
    </message>
    <message>
        <source>Adapter</source>
        <translation>Adapter</translation>
    </message>
    <message>
        <source>PEFT folder to merge into the model when it loads</source>
        <translation>PEFT-Ordner, der beim Laden in das Modell eingerechnet wird</translation>
    </message>
    <message>
        <source>Open the model without an adapter</source>
        <translation>Das Modell ohne Adapter öffnen</translation>
    </message>
    <message>
        <source>Choose an adapter&apos;s folder</source>
        <translation>Den Ordner eines Adapters wählen</translation>
    </message>
    <message>
        <source>Model: choose a folder or a GGUF file.</source>
        <translation>Modell: Wählen Sie einen Ordner oder eine GGUF-Datei.</translation>
    </message>
    <message>
        <source>Model: this is an adapter. Enter it below, and its base model here.</source>
        <translation>Modell: Das ist ein Adapter. Geben Sie ihn unten an und hier sein Basismodell.</translation>
    </message>
    <message>
        <source>Model: %1. %2</source>
        <translation>Modell: %1. %2</translation>
    </message>
    <message>
        <source>An adapter can&apos;t be merged into 8-bit weights. Choose another dtype, or no adapter.</source>
        <translation>Ein Adapter lässt sich nicht in 8-Bit-Gewichte einrechnen. Wählen Sie einen anderen dtype oder keinen Adapter.</translation>
    </message>
    <message>
        <source>Its base model is %1.</source>
        <translation>Sein Basismodell ist %1.</translation>
    </message>
    <message>
        <source>Adapter: %1. %2</source>
        <translation>Adapter: %1. %2</translation>
    </message>
    <message>
        <source>Model folder, GGUF file or name such as Qwen/Qwen3-0.6B</source>
        <translation>Modellordner, GGUF-Datei oder ein Name wie Qwen/Qwen3-0.6B</translation>
    </message>
    <message>
        <source>Model: not on this computer. Fetch asks the hub for it.</source>
        <translation>Modell: nicht auf diesem Rechner. Holen fragt den Hub danach.</translation>
    </message>
</context>
<context>
    <name>ModelLister</name>
    <message>
        <source>%1 can&apos;t be read: %2</source>
        <translation>%1 kann nicht gelesen werden: %2</translation>
    </message>
</context>
<context>
    <name>ModelLoader</name>
    <message>
        <source>pasted text</source>
        <translation>eingefügter Text</translation>
    </message>
    <message>
        <source>dtype %1: %2</source>
        <translation>dtype %1: %2</translation>
    </message>
    <message>
        <source>%1: %L2 tokens</source>
        <translation>%1: %L2 Token</translation>
    </message>
    <message>
        <source>On %1 held-out books, a carry with %2 sinks (S = %3, M = %4) changes the loss by %5 nats per token compared with M = R = 0, with all heads local (lower on %6)</source>
        <translation>Auf %1 zurückgehaltenen Büchern ändert ein Übertrag mit %2 Sinks (S = %3, M = %4) den Verlust gegenüber M = R = 0 um %5 nat je Token, wenn alle Köpfe lokal sind (niedriger bei %6)</translation>
    </message>
    <message>
        <source>, and by %1 with the default grouping (lower on %2)</source>
        <translation>, und um %1 mit der Standardgruppierung (niedriger bei %2)</translation>
    </message>
    <message>
        <source>Reading %1</source>
        <translation>Liest %1</translation>
    </message>
    <message>
        <source>The model will be opened with the chosen dtype and device when the engine is free</source>
        <translation>Das Modell wird mit dem gewählten dtype und Gerät geöffnet, sobald der Rechenkern frei ist</translation>
    </message>
    <message>
        <source>%1: %2 layers, %3 heads, %4 of weights in %5 on %6</source>
        <translation>%1: %2 Schichten, %3 Köpfe, %4 Gewichte in %5 auf %6</translation>
    </message>
</context>
<context>
    <name>NeedleText</name>
    <message>
        <source>%1 no</source>
        <translation>%1 nein</translation>
    </message>
    <message>
        <source>%1 yes</source>
        <translation>%1 ja</translation>
    </message>
    <message>
        <source>%1 %2 of %3 tokens</source>
        <translation>%1 %2 von %3 Token</translation>
    </message>
    <message>
        <source>The task does not say where the answer is</source>
        <translation>Die Aufgabe sagt nicht, wo die Antwort steht</translation>
    </message>
    <message>
        <source>The run has not reached the answer yet</source>
        <translation>Der Lauf ist noch nicht bei der Antwort</translation>
    </message>
    <message>
        <source>The needle is in the same segment as the answer, %1</source>
        <translation>Die Nadel steht im selben Segment wie die Antwort, %1</translation>
    </message>
    <message>
        <source>Nothing was retrieved for the answer&apos;s segment, %1</source>
        <translation>Für das Segment der Antwort, %1, wurde nichts abgerufen</translation>
    </message>
    <message>
        <source>Needle retrieved for segment %1: %2 (%3 of %4 lists contain tokens of it)</source>
        <translation>Nadel für Segment %1 abgerufen: %2 (%3 von %4 Listen enthalten Token von ihr)</translation>
    </message>
</context>
<context>
    <name>Notebook</name>
    <message>
        <source>bookmark “%1”</source>
        <translation>Lesezeichen „%1“</translation>
    </message>
    <message>
        <source>remove bookmark “%1”</source>
        <translation>Lesezeichen „%1“ entfernen</translation>
    </message>
    <message>
        <source>rename bookmark</source>
        <translation>Lesezeichen umbenennen</translation>
    </message>
</context>
<context>
    <name>NotesPanel</name>
    <message>
        <source>segment %1</source>
        <translation>Segment %1</translation>
    </message>
    <message>
        <source>layer %1 head %2</source>
        <translation>Schicht %1 Kopf %2</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>Notizen</translation>
    </message>
    <message>
        <source>Bookmark the selection</source>
        <translation>Lesezeichen auf die Auswahl</translation>
    </message>
    <message>
        <source>Save the selection, to return to it later (Ctrl+D)</source>
        <translation>Die Auswahl behalten, um später zu ihr zurückzukehren (Strg+D)</translation>
    </message>
    <message>
        <source>Bookmarks</source>
        <translation>Lesezeichen</translation>
    </message>
    <message>
        <source>Double-click or Enter selects it, F2 renames it, Delete removes it</source>
        <translation>Doppelklick oder Eingabetaste wählt es aus, F2 benennt es um, Entf entfernt es</translation>
    </message>
    <message>
        <source>&amp;Remove</source>
        <translation>&amp;Entfernen</translation>
    </message>
    <message>
        <source>Notes; kept with the session</source>
        <translation>Notizen; sie bleiben bei der Sitzung</translation>
    </message>
</context>
<context>
    <name>OpenDocument</name>
    <message>
        <source>Document state: %1
%L2 tokens, policy %3, %4</source>
        <translation>Zustand des Dokuments: %1
%L2 Token, Verfahren %3, %4</translation>
    </message>
</context>
<context>
    <name>Panel</name>
    <message>
        <source>Linked selection</source>
        <translation>Gekoppelte Auswahl</translation>
    </message>
    <message>
        <source>Linked: follows the selection in other views. Click to unlink and keep this selection.</source>
        <translation>Gekoppelt: folgt der Auswahl in anderen Ansichten. Klicken Sie, um zu entkoppeln und diese Auswahl zu behalten.</translation>
    </message>
    <message>
        <source>Unlinked: keeps its own selection. Click to follow the other views again.</source>
        <translation>Entkoppelt: behält eine eigene Auswahl. Klicken Sie, um den anderen Ansichten wieder zu folgen.</translation>
    </message>
</context>
<context>
    <name>PanelDocks</name>
    <message>
        <source>is not a figure</source>
        <translation>ist keine Abbildung</translation>
    </message>
    <message>
        <source>The figures are %1.</source>
        <translation>Die Abbildungen sind %1.</translation>
    </message>
</context>
<context>
    <name>PassagesPanel</name>
    <message>
        <source>Retrieved passages</source>
        <translation>Abgerufene Stellen</translation>
    </message>
    <message>
        <source>Heads whose passages are listed</source>
        <translation>Köpfe, deren Stellen aufgeführt sind</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Runs the segment again without this passage and shows the change of its loss</source>
        <translation>Führt das Segment ohne diese Stelle noch einmal aus und zeigt, wie sich sein Verlust ändert</translation>
    </message>
    <message>
        <source>Only this one</source>
        <translation>Nur diese</translation>
    </message>
    <message>
        <source>Runs the segment again with only this passage</source>
        <translation>Führt das Segment mit dieser Stelle allein noch einmal aus</translation>
    </message>
    <message>
        <source>Export the passages</source>
        <translation>Stellen exportieren</translation>
    </message>
    <message>
        <source>&amp;Remove</source>
        <translation>&amp;Entfernen</translation>
    </message>
    <message>
        <source>Segment %1: nothing was retrieved for this head</source>
        <translation>Segment %1: Für diesen Kopf wurde nichts abgerufen</translation>
    </message>
    <message>
        <source>without the passage at %1</source>
        <translation>ohne die Stelle bei %1</translation>
    </message>
    <message>
        <source>only the passage at %1</source>
        <translation>nur die Stelle bei %1</translation>
    </message>
    <message>
        <source>Segment %1, all readers, passages: %2</source>
        <translation>Segment %1, alle Leser, Stellen: %2</translation>
    </message>
    <message>
        <source>Segment %1, L%2H%3, passages: %4</source>
        <translation>Segment %1, L%2H%3, Stellen: %4</translation>
    </message>
    <message>
        <source>Segment %1: the shared search retrieved nothing</source>
        <translation>Segment %1: Die gemeinsame Suche hat nichts abgerufen</translation>
    </message>
</context>
<context>
    <name>PassagesTable</name>
    <message>
        <source>Score</source>
        <translation>Wertung</translation>
    </message>
    <message>
        <source>Segment</source>
        <translation>Segment</translation>
    </message>
    <message>
        <source>Position</source>
        <translation>Position</translation>
    </message>
    <message>
        <source>Passage</source>
        <translation>Stelle</translation>
    </message>
    <message>
        <source>Δ loss</source>
        <translation>Δ Verlust</translation>
    </message>
    <message>
        <source>Δ token</source>
        <translation>Δ Token</translation>
    </message>
    <message>
        <source>Its window&apos;s mean score, or its anchor&apos;s</source>
        <translation>Mittlere Wertung ihres Fensters, oder Wertung ihres Ankers</translation>
    </message>
    <message>
        <source>Segment that contains it</source>
        <translation>Segment, in dem sie liegt</translation>
    </message>
    <message>
        <source>Position of its first token</source>
        <translation>Position ihres ersten Tokens</translation>
    </message>
    <message>
        <source>Retrieved text</source>
        <translation>Abgerufener Text</translation>
    </message>
    <message>
        <source>Mean loss of the reading segment without the passage minus with it, in nats; measured by Remove</source>
        <translation>Mittlerer Verlust des lesenden Segments ohne die Stelle minus dem mit ihr, in nat; „Entfernen“ misst ihn</translation>
    </message>
    <message>
        <source>The same for the selected token</source>
        <translation>Dasselbe für das gewählte Token</translation>
    </message>
    <message>
        <source>Without it</source>
        <translation>Ohne sie</translation>
    </message>
    <message>
        <source>Alone</source>
        <translation>Allein</translation>
    </message>
    <message>
        <source>Probability of the answer&apos;s first phrase without the passage; measured by Remove</source>
        <translation>Wahrscheinlichkeit der ersten Wortgruppe der Antwort ohne die Stelle; „Entfernen“ misst sie</translation>
    </message>
    <message>
        <source>The same with this passage alone; measured by Only this one</source>
        <translation>Dasselbe mit dieser Stelle allein; „Nur diese“ misst es</translation>
    </message>
</context>
<context>
    <name>PatchRow</name>
    <message>
        <source>Patch from B</source>
        <translation>Aus B einsetzen</translation>
    </message>
    <message>
        <source>Carry</source>
        <translation>Übertrag</translation>
    </message>
    <message>
        <source>Head output</source>
        <translation>Ausgabe eines Kopfes</translation>
    </message>
    <message>
        <source>What to patch</source>
        <translation>Was eingesetzt wird</translation>
    </message>
    <message>
        <source>layer </source>
        <translation>Schicht </translation>
    </message>
    <message>
        <source>Layer to patch</source>
        <translation>Schicht, in die eingesetzt wird</translation>
    </message>
    <message>
        <source>head </source>
        <translation>Kopf </translation>
    </message>
    <message>
        <source>all heads</source>
        <translation>alle Köpfe</translation>
    </message>
    <message>
        <source>Head to patch</source>
        <translation>Kopf, dessen Ausgabe eingesetzt wird</translation>
    </message>
    <message>
        <source>no segment has been run</source>
        <translation>noch wurde kein Segment ausgeführt</translation>
    </message>
    <message>
        <source>Activation patching: takes the values of the pinned run B in the same segment, token by token</source>
        <translation>Activation Patching: nimmt die Werte des angehefteten Laufs B im selben Segment, Token für Token</translation>
    </message>
    <message>
        <source>Not now: %1</source>
        <translation>Jetzt nicht: %1</translation>
    </message>
</context>
<context>
    <name>Patching</name>
    <message>
        <source>patches take their values from the pinned run: pin one as B first</source>
        <translation>Patches nehmen ihre Werte aus dem angehefteten Lauf: Heften Sie zuerst einen als B an</translation>
    </message>
    <message>
        <source>no segment has been run</source>
        <translation>noch wurde kein Segment ausgeführt</translation>
    </message>
    <message>
        <source>the pinned run was made with the weights %1, this one with %2</source>
        <translation>der angeheftete Lauf entstand mit den Gewichten %1, dieser mit %2</translation>
    </message>
    <message>
        <source>the pinned run was made in %1, this one in %2</source>
        <translation>der angeheftete Lauf entstand in %1, dieser in %2</translation>
    </message>
</context>
<context>
    <name>PatternDialog</name>
    <message>
        <source>Kind of pattern</source>
        <translation>Art des Musters</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>Spalten</translation>
    </message>
    <message>
        <source>Diagonals</source>
        <translation>Diagonalen</translation>
    </message>
    <message>
        <source>Sinks, tokens</source>
        <translation>Sinks, Token</translation>
    </message>
    <message>
        <source>Window, tokens</source>
        <translation>Fenster, Token</translation>
    </message>
    <message>
        <source>Blocks of keys for a block of queries</source>
        <translation>Blöcke von Keys je Block von Queries</translation>
    </message>
</context>
<context>
    <name>PerplexityFrontier</name>
    <message>
        <source>No evaluation is finished</source>
        <translation>Keine Auswertung ist fertig</translation>
    </message>
    <message>
        <source>Perplexity</source>
        <translation>Perplexität</translation>
    </message>
    <message>
        <source>lowest perplexity up to this size</source>
        <translation>niedrigste Perplexität bis zu dieser Größe</translation>
    </message>
    <message>
        <source>Attention-visible KV (MiB)</source>
        <translation>Für Attention sichtbare KV (MiB)</translation>
    </message>
    <message>
        <source>Perplexity against attention-visible KV</source>
        <translation>Perplexität gegen die für Attention sichtbaren KV</translation>
    </message>
    <message>
        <source>Perplexity at %1 tokens against attention-visible KV</source>
        <translation>Perplexität bei %1 Token gegen die für Attention sichtbaren KV</translation>
    </message>
    <message>
        <source>%1: %2
%3
%4 MiB, perplexity %5</source>
        <translation>%1: %2
%3
%4 MiB, Perplexität %5</translation>
    </message>
</context>
<context>
    <name>PlanForm</name>
    <message>
        <source>Plan of the training</source>
        <translation>Plan des Trainings</translation>
    </message>
</context>
<context>
    <name>PlotView</name>
    <message>
        <source>&amp;Export figure or data…</source>
        <translation>Abbildung oder Daten &amp;exportieren …</translation>
    </message>
    <message>
        <source>&amp;Copy picture</source>
        <translation>Bild &amp;kopieren</translation>
    </message>
    <message>
        <source>&amp;Show everything</source>
        <translation>&amp;Alles zeigen</translation>
    </message>
    <message>
        <source>Copy &amp;data (CSV)</source>
        <translation>&amp;Daten kopieren (CSV)</translation>
    </message>
    <message>
        <source>%1 against %2</source>
        <translation>%1 gegen %2</translation>
    </message>
    <message>
        <source>the plot “%1” is empty</source>
        <translation>das Diagramm „%1“ ist leer</translation>
    </message>
    <message>
        <source>run a text first</source>
        <translation>führen Sie zuerst einen Text aus</translation>
    </message>
    <message>
        <source>has a suffix that is not supported</source>
        <translation>hat eine Endung, die nicht unterstützt wird</translation>
    </message>
    <message>
        <source>Use .pdf, .svg, .png, .csv or .npy.</source>
        <translation>Verwenden Sie .pdf, .svg, .png, .csv oder .npy.</translation>
    </message>
</context>
<context>
    <name>PredictionChange</name>
    <message>
        <source>logit of %1</source>
        <translation>Logit von %1</translation>
    </message>
    <message>
        <source>logit of %1 − logit of %2</source>
        <translation>Logit von %1 − Logit von %2</translation>
    </message>
    <message>
        <source>probability of %1: %2 → %3</source>
        <translation>Wahrscheinlichkeit von %1: %2 → %3</translation>
    </message>
    <message>
        <source>At %1, %2: %3 → %4 (Δ %5); %6</source>
        <translation>Bei %1, %2: %3 → %4 (Δ %5); %6</translation>
    </message>
</context>
<context>
    <name>PrefixPanel</name>
    <message>
        <source>Prefix</source>
        <translation>Präfix</translation>
    </message>
    <message>
        <source>Description of the step</source>
        <translation>Beschreibung des Schritts</translation>
    </message>
    <message>
        <source>Position in the pool (token)</source>
        <translation>Position im Pool (Token)</translation>
    </message>
    <message>
        <source>Queries of a summary</source>
        <translation>Queries einer Zusammenfassung</translation>
    </message>
    <message>
        <source>queries</source>
        <translation>Queries</translation>
    </message>
    <message>
        <source>top-k</source>
        <translation>Top-k</translation>
    </message>
    <message>
        <source>padding</source>
        <translation>Auffüllung</translation>
    </message>
    <message>
        <source>expanded</source>
        <translation>erweitert</translation>
    </message>
    <message>
        <source>anchor</source>
        <translation>Anker</translation>
    </message>
    <message>
        <source>Slot, then the segment (re-indexed position)</source>
        <translation>Platz, dann das Segment (neu gezählte Position)</translation>
    </message>
    <message>
        <source>segment</source>
        <translation>Segment</translation>
    </message>
    <message>
        <source>token %1 of the segment</source>
        <translation>Token %1 des Segments</translation>
    </message>
    <message>
        <source>slot %1: position %2, %3
%4</source>
        <translation>Platz %1: Position %2, %3
%4</translation>
    </message>
    <message>
        <source>Result of the step</source>
        <translation>Ergebnis des Schritts</translation>
    </message>
    <message>
        <source>prefix</source>
        <translation>Präfix</translation>
    </message>
    <message>
        <source>Layer %1, head %2: prefix of segment %3, step %4: %5</source>
        <translation>Schicht %1, Kopf %2: Präfix von Segment %3, Schritt %4: %5</translation>
    </message>
    <message>
        <source>Score</source>
        <translation>Wertung</translation>
    </message>
    <message>
        <source>Best score of %1</source>
        <translation>Beste Wertung von %1</translation>
    </message>
    <message>
        <source>Slot</source>
        <translation>Platz</translation>
    </message>
    <message>
        <source>carried</source>
        <translation>übertragen</translation>
    </message>
    <message>
        <source>sink</source>
        <translation>Sink</translation>
    </message>
</context>
<context>
    <name>PrefixText</name>
    <message>
        <source>anchor</source>
        <translation>Anker</translation>
    </message>
    <message>
        <source>expanded</source>
        <translation>erweitert</translation>
    </message>
    <message>
        <source>padding</source>
        <translation>Auffüllung</translation>
    </message>
    <message>
        <source>%1 sinks</source>
        <translation>%1 Sinks</translation>
    </message>
    <message>
        <source>%1 retrieved tokens</source>
        <translation>%1 abgerufene Token</translation>
    </message>
    <message>
        <source>the carried tail</source>
        <translation>den Übertrag</translation>
    </message>
    <message>
        <source>This run retrieves nothing: R = 0. The presets in Settings turn retrieval on</source>
        <translation>Dieser Lauf ruft nichts ab: R = 0. Die Vorlagen unter „Einstellungen“ schalten Retrieval ein</translation>
    </message>
    <message>
        <source>This run retrieves nothing: no head reads retrieved tokens</source>
        <translation>Dieser Lauf ruft nichts ab: Kein Kopf liest abgerufene Token</translation>
    </message>
    <message>
        <source>Layer %1, head %2 retrieves nothing: only long-range heads in long-range layers do</source>
        <translation>Schicht %1, Kopf %2 ruft nichts ab: Das tun nur weitreichende Köpfe in weitreichenden Schichten</translation>
    </message>
    <message>
        <source>The first segment has no past to retrieve from: select a later segment</source>
        <translation>Das erste Segment hat keine Vergangenheit zum Abrufen: Wählen Sie ein späteres Segment</translation>
    </message>
    <message>
        <source>Segment %1 has retrieved nothing</source>
        <translation>Segment %1 hat nichts abgerufen</translation>
    </message>
    <message>
        <source>The policy %1 has no list of hits; only segmented has one</source>
        <translation>Das Verfahren %1 hat keine Trefferliste: nur segmented hat eine</translation>
    </message>
    <message>
        <source>the %1 best keys of each query</source>
        <translation>die %1 besten Keys jeder Query</translation>
    </message>
    <message>
        <source>Each query of this run searches for itself; there is no list for a segment. The attention map shows what a query reads</source>
        <translation>In diesem Lauf sucht jede Query für sich; eine Liste für ein Segment gibt es nicht. Die Attention-Karte zeigt, was eine Query liest</translation>
    </message>
</context>
<context>
    <name>PromptExamplesTable</name>
    <message>
        <source>Loss</source>
        <translation>Verlust</translation>
    </message>
    <message>
        <source>Answer loss</source>
        <translation>Verlust der Antwort</translation>
    </message>
    <message>
        <source>Hit distance</source>
        <translation>Trefferabstand</translation>
    </message>
    <message>
        <source>Recall</source>
        <translation>Recall</translation>
    </message>
    <message>
        <source>Δ loss</source>
        <translation>Δ Verlust</translation>
    </message>
    <message>
        <source>Δ answer loss</source>
        <translation>Δ Verlust der Antwort</translation>
    </message>
    <message>
        <source>Mean over the example&apos;s tokens, nats</source>
        <translation>Mittel über die Token des Beispiels, nat</translation>
    </message>
    <message>
        <source>Mean over the tokens of the answer, nats</source>
        <translation>Mittel über die Token der Antwort, nat</translation>
    </message>
    <message>
        <source>Median over the hits: tokens from a hit to the segment that reads it</source>
        <translation>Median über die Treffer: Token von einem Treffer bis zu dem Segment, das ihn liest</translation>
    </message>
    <message>
        <source>Share of the target&apos;s tokens that the answer&apos;s segment reads</source>
        <translation>Anteil der Token des Ziels, die das Segment der Antwort liest</translation>
    </message>
    <message>
        <source>Loss under the control minus loss: above 0 where retrieval helps</source>
        <translation>Verlust unter der Kontrolle minus Verlust: über 0, wo Retrieval hilft</translation>
    </message>
    <message>
        <source>Answer loss under the control minus answer loss: above 0 where retrieval helps</source>
        <translation>Verlust der Antwort unter der Kontrolle minus Verlust der Antwort: über 0, wo Retrieval hilft</translation>
    </message>
    <message>
        <source>Example</source>
        <translation>Beispiel</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Schlagwörter</translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>Problem</translation>
    </message>
</context>
<context>
    <name>PromptSlicesTable</name>
    <message>
        <source>all</source>
        <translation>alle</translation>
    </message>
    <message>
        <source>Slice</source>
        <translation>Teilmenge</translation>
    </message>
    <message>
        <source>Examples</source>
        <translation>Beispiele</translation>
    </message>
</context>
<context>
    <name>PromptsController</name>
    <message>
        <source>The prompt set&apos;s process has ended</source>
        <translation>Der Prozess der Prompt-Menge ist beendet</translation>
    </message>
    <message>
        <source>Open a model first</source>
        <translation>Öffnen Sie zuerst ein Modell</translation>
    </message>
    <message>
        <source>The engine runs on another machine: run the prompt set there, with carryover-cli run --prompts</source>
        <translation>Der Rechenkern läuft auf einem anderen Rechner: Führen Sie die Prompt-Menge dort aus, mit carryover-cli run --prompts</translation>
    </message>
    <message>
        <source>another one is running in this window</source>
        <translation>in diesem Fenster läuft schon ein anderer Vorgang</translation>
    </message>
    <message>
        <source>prompt set</source>
        <translation>Prompt-Menge</translation>
    </message>
    <message>
        <source>Then run it.</source>
        <translation>Führen Sie sie dann aus.</translation>
    </message>
    <message>
        <source>Running the prompt set %1 into %2</source>
        <translation>Führt die Prompt-Menge %1 aus und schreibt nach %2</translation>
    </message>
    <message>
        <source>starting</source>
        <translation>startet</translation>
    </message>
</context>
<context>
    <name>PromptsForm</name>
    <message>
        <source>Prompt set</source>
        <translation>Prompt-Menge</translation>
    </message>
    <message>
        <source>A .jsonl file with a &quot;text&quot; on each line and, optionally, &quot;name&quot;, &quot;answer&quot;, &quot;target&quot; and &quot;tags&quot;</source>
        <translation>Eine .jsonl-Datei mit einem &quot;text&quot; in jeder Zeile und, wo gewünscht, &quot;name&quot;, &quot;answer&quot;, &quot;target&quot; und &quot;tags&quot;</translation>
    </message>
    <message>
        <source>Prompt sets (*.jsonl);;All files (*)</source>
        <translation>Prompt-Mengen (*.jsonl);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>no control</source>
        <translation>keine Kontrolle</translation>
    </message>
    <message>
        <source>Control</source>
        <translation>Kontrolle</translation>
    </message>
    <message>
        <source>Also run each example under this control, for Δ loss. off: no retrieval; the other controls replace the retrieved positions</source>
        <translation>Führt jedes Beispiel auch unter dieser Kontrolle aus, für Δ Verlust. off: kein Retrieval; die anderen Kontrollen ersetzen die abgerufenen Positionen</translation>
    </message>
    <message>
        <source>Against</source>
        <translation>Gegen</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>Folder for its runs; examples that are there already are not run again</source>
        <translation>Ordner ihrer Läufe; Beispiele, die schon dort sind, werden nicht noch einmal ausgeführt</translation>
    </message>
    <message>
        <source>Folder of the runs</source>
        <translation>Ordner der Läufe</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Ausführen</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stopp</translation>
    </message>
    <message>
        <source>Finished examples are kept; Run continues with the others</source>
        <translation>Fertige Beispiele bleiben erhalten; „Ausführen“ setzt mit den anderen fort</translation>
    </message>
    <message>
        <source>Choose a prompt set</source>
        <translation>Wählen Sie eine Prompt-Menge</translation>
    </message>
    <message>
        <source>Choose a folder for its runs</source>
        <translation>Wählen Sie einen Ordner für ihre Läufe</translation>
    </message>
    <message>
        <source>Run each example with these settings in a separate process</source>
        <translation>Führt jedes Beispiel mit diesen Einstellungen in einem eigenen Prozess aus</translation>
    </message>
</context>
<context>
    <name>PromptsPanel</name>
    <message>
        <source>Prompt sets</source>
        <translation>Prompt-Mengen</translation>
    </message>
    <message>
        <source>State of the prompt set</source>
        <translation>Zustand der Prompt-Menge</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>Öffnen …</translation>
    </message>
    <message>
        <source>Open the folder of a prompt set that has been run, or follow one that is running</source>
        <translation>Den Ordner einer ausgeführten Prompt-Menge öffnen, oder einer laufenden folgen</translation>
    </message>
    <message>
        <source>Folder of a prompt set</source>
        <translation>Ordner einer Prompt-Menge</translation>
    </message>
    <message>
        <source>Show only examples that contain all of these words</source>
        <translation>Nur Beispiele zeigen, die alle diese Wörter enthalten</translation>
    </message>
    <message>
        <source>Examples of the prompt set</source>
        <translation>Beispiele der Prompt-Menge</translation>
    </message>
    <message>
        <source>Open as a run</source>
        <translation>Als Lauf öffnen</translation>
    </message>
    <message>
        <source>Open with its control as B</source>
        <translation>Mit seiner Kontrolle als B öffnen</translation>
    </message>
    <message>
        <source>Means over the examples of each tag, with 95 % intervals</source>
        <translation>Mittel über die Beispiele jedes Schlagworts, mit 95-%-Intervallen</translation>
    </message>
    <message>
        <source>%1 examples with %2, policy %3</source>
        <translation>%1 Beispiele mit %2, Verfahren %3</translation>
    </message>
    <message>
        <source>, against %1</source>
        <translation>, gegen %1</translation>
    </message>
    <message>
        <source>; %1 failed</source>
        <translation>; %1 gescheitert</translation>
    </message>
    <message>
        <source>; not all were run: Run continues</source>
        <translation>; nicht alle wurden ausgeführt: „Ausführen“ setzt fort</translation>
    </message>
    <message>
        <source>A prompt set is a file with a text on each line. Each text is run separately. The tables show its loss, the distance of its hits, whether its target was read, and means over all examples and over each tag.</source>
        <translation>Eine Prompt-Menge ist eine Datei mit einem Text in jeder Zeile. Jeder Text wird für sich ausgeführt. Die Tabellen zeigen seinen Verlust, den Abstand seiner Treffer, ob sein Ziel gelesen wurde, und Mittel über alle Beispiele und über jedes Schlagwort.</translation>
    </message>
    <message>
        <source>The question pass does not apply to prompt sets: each segment reads what the queries of the previous segment found. To ask questions, use Ask or Evaluate.</source>
        <translation>Der Frage-Durchgang gilt nicht für Prompt-Mengen: Jedes Segment liest, was die Queries des vorigen Segments gefunden haben. Um Fragen zu stellen, verwenden Sie „Fragen“ oder „Auswerten“.</translation>
    </message>
</context>
<context>
    <name>ProposalsTable</name>
    <message>
        <source>proposed by score</source>
        <translation>nach Wertung vorgeschlagen</translation>
    </message>
    <message>
        <source>current grouping</source>
        <translation>aktuelle Gruppierung</translation>
    </message>
    <message>
        <source>Grouping</source>
        <translation>Gruppierung</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>Heads</source>
        <translation>Köpfe</translation>
    </message>
    <message>
        <source>A grouping of heads and layers; the selected one is outlined in the map</source>
        <translation>Eine Gruppierung von Köpfen und Schichten; die gewählte ist in der Karte umrandet</translation>
    </message>
    <message>
        <source>Layers in which heads retrieve</source>
        <translation>Schichten, in denen Köpfe abrufen</translation>
    </message>
    <message>
        <source>Heads that retrieve, over all layers</source>
        <translation>Köpfe, die abrufen, über alle Schichten</translation>
    </message>
    <message>
        <source>Share of the sum of all scores that falls on heads that retrieve</source>
        <translation>Anteil an der Summe aller Wertungen, der auf abrufende Köpfe entfällt</translation>
    </message>
    <message>
        <source>Share of the heads proposed by score that retrieve in this grouping too</source>
        <translation>Anteil der nach Wertung vorgeschlagenen Köpfe, die auch in dieser Gruppierung abrufen</translation>
    </message>
    <message>
        <source>Score share</source>
        <translation>Anteil der Wertungen</translation>
    </message>
    <message>
        <source>Overlap</source>
        <translation>Überschneidung</translation>
    </message>
</context>
<context>
    <name>QObject</name>
    <message>
        <source>carryover: %1 can&apos;t be written</source>
        <translation>carryover: %1 lässt sich nicht schreiben</translation>
    </message>
    <message>
        <source>%1 pictures in %2</source>
        <translation>%1 Bilder in %2</translation>
    </message>
    <message>
        <source>carryover: nothing was run; see the error above</source>
        <translation>carryover: nichts wurde ausgeführt; siehe den Fehler oben</translation>
    </message>
    <message>
        <source>segment %1 of %2: loss %3, %4 s</source>
        <translation>Segment %1 von %2: Verlust %3, %4 s</translation>
    </message>
    <message>
        <source>carryover: a session file opens in the window only</source>
        <translation>carryover: eine Sitzungsdatei öffnet sich nur im Fenster</translation>
    </message>
    <message>
        <source>JSON (*.json)</source>
        <translation>JSON (*.json)</translation>
    </message>
    <message>
        <source>Export the configuration</source>
        <translation>Konfiguration exportieren</translation>
    </message>
    <message>
        <source>Export the grouping</source>
        <translation>Gruppierung exportieren</translation>
    </message>
    <message>
        <source>Import a configuration or grouping</source>
        <translation>Konfiguration oder Gruppierung importieren</translation>
    </message>
    <message>
        <source>import</source>
        <translation>importieren</translation>
    </message>
    <message>
        <source> mm</source>
        <translation> mm</translation>
    </message>
    <message>
        <source>a picture of %1 × %2 pixels doesn&apos;t fit in memory</source>
        <translation>ein Bild von %1 × %2 Pixeln passt nicht in den Speicher</translation>
    </message>
    <message>
        <source>choose a smaller size or fewer dots per inch</source>
        <translation>wählen Sie ein kleineres Maß oder weniger Punkte je Zoll</translation>
    </message>
    <message>
        <source>the picture can&apos;t be encoded</source>
        <translation>das Bild lässt sich nicht kodieren</translation>
    </message>
    <message>
        <source>install poppler-utils (apt-get install poppler-utils), or export a PDF</source>
        <translation>poppler-utils installieren (apt-get install poppler-utils) oder ein PDF exportieren</translation>
    </message>
    <message>
        <source>SVG needs the program pdftocairo, which isn&apos;t installed</source>
        <translation>SVG braucht das Programm pdftocairo, das nicht installiert ist</translation>
    </message>
    <message>
        <source>no temporary folder: %1</source>
        <translation>kein Ordner für Zwischendateien: %1</translation>
    </message>
    <message>
        <source>pdftocairo failed: %1</source>
        <translation>pdftocairo ist gescheitert: %1</translation>
    </message>
    <message>
        <source>%1 is ready: switch</source>
        <translation>%1 ist bereit: wechseln</translation>
    </message>
    <message>
        <source>Opens the default model and book instead of the open ones, and runs the text</source>
        <translation>Öffnet das Standardmodell und das Standardbuch statt der offenen und führt den Text aus</translation>
    </message>
    <message>
        <source>is not a JSON object</source>
        <translation>ist kein JSON-Objekt</translation>
    </message>
    <message>
        <source>Choose a file that this program exported.</source>
        <translation>Wählen Sie eine Datei, die dieses Programm exportiert hat.</translation>
    </message>
    <message>
        <source>Export the head patterns</source>
        <translation>Muster der Köpfe exportieren</translation>
    </message>
    <message>
        <source>Import head patterns</source>
        <translation>Muster der Köpfe importieren</translation>
    </message>
    <message>
        <source>head patterns</source>
        <translation>Muster der Köpfe</translation>
    </message>
    <message>
        <source>Choose: %1</source>
        <translation>Wählen: %1</translation>
    </message>
    <message>
        <source>No segment is complete yet</source>
        <translation>Noch ist kein Segment vollständig</translation>
    </message>
    <message>
        <source>No run yet: open a model and a text, and press Run</source>
        <translation>Noch kein Lauf: Öffnen Sie ein Modell und einen Text, und drücken Sie „Lauf“</translation>
    </message>
</context>
<context>
    <name>ReachPanel</name>
    <message>
        <source>i − j = %1</source>
        <translation>i − j = %1</translation>
    </message>
    <message>
        <source>Gradient reach</source>
        <translation>Reichweite der Gradienten</translation>
    </message>
    <message>
        <source>By transition</source>
        <translation>Nach Übergang</translation>
    </message>
    <message>
        <source>Transition j, from segment j to j + 1</source>
        <translation>Übergang j, von Segment j zu j + 1</translation>
    </message>
    <message>
        <source>‖∂ℓᵢ/∂Cⱼ‖</source>
        <translation>‖∂ℓᵢ/∂Cⱼ‖</translation>
    </message>
    <message>
        <source>By transitions crossed</source>
        <translation>Nach überquerten Übergängen</translation>
    </message>
    <message>
        <source>Transitions crossed, i − j</source>
        <translation>Überquerte Übergänge, i − j</translation>
    </message>
    <message>
        <source>Over the run</source>
        <translation>Über den Lauf</translation>
    </message>
    <message>
        <source>‖∂ℓᵢ/∂Cⱼ‖, mean</source>
        <translation>‖∂ℓᵢ/∂Cⱼ‖, Mittel</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>Mittel</translation>
    </message>
    <message>
        <source>highest</source>
        <translation>höchste</translation>
    </message>
    <message>
        <source>lowest</source>
        <translation>niedrigste</translation>
    </message>
    <message>
        <source>By transitions crossed: cut at K = %1</source>
        <translation>Nach überquerten Übergängen: Schnitt bei K = %1</translation>
    </message>
    <message>
        <source>By transition, step %L1</source>
        <translation>Nach Übergang, Schritt %L1</translation>
    </message>
    <message>
        <source>No gradient crosses segments: open a training whose samples have two or more</source>
        <translation>Kein Gradient überquert Segmente: Öffnen Sie ein Training, dessen Samples zwei oder mehr haben</translation>
    </message>
</context>
<context>
    <name>ReadersTable</name>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>Readers</source>
        <translation>Leser</translation>
    </message>
    <message>
        <source>Pool</source>
        <translation>Pool</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Verlust</translation>
    </message>
    <message>
        <source>Answered</source>
        <translation>Beantwortet</translation>
    </message>
    <message>
        <source>Layers with heads that read the retrieved tokens</source>
        <translation>Schichten mit Köpfen, die die abgerufenen Token lesen</translation>
    </message>
    <message>
        <source>Heads that read the retrieved tokens</source>
        <translation>Köpfe, die die abgerufenen Token lesen</translation>
    </message>
    <message>
        <source>The pool of a document: keys and values of readers and searchers</source>
        <translation>Der Pool eines Dokuments: Keys und Values der Leser und Sucher</translation>
    </message>
    <message>
        <source>Mean loss of a token of the answers, in nats, with the needle in the prefix</source>
        <translation>Mittlerer Verlust eines Tokens der Antworten, in nat, mit der Nadel im Präfix</translation>
    </message>
    <message>
        <source>Share of answers whose every token is the most likely one, with the needle in the prefix</source>
        <translation>Anteil der Antworten, deren Token alle die wahrscheinlichsten sind, mit der Nadel im Präfix</translation>
    </message>
</context>
<context>
    <name>RecallHeadsController</name>
    <message>
        <source>The search for heads was stopped</source>
        <translation>Die Suche nach Köpfen wurde angehalten</translation>
    </message>
    <message>
        <source>Heads for recall are found</source>
        <translation>Recall-Köpfe sind gefunden</translation>
    </message>
    <message>
        <source>heads for recall</source>
        <translation>Recall-Köpfe</translation>
    </message>
    <message>
        <source>the search for heads is using the engine</source>
        <translation>die Suche nach Köpfen benutzt den Rechenkern</translation>
    </message>
    <message>
        <source>Searching for the heads for recall in %1 documents</source>
        <translation>Sucht die Recall-Köpfe in %1 Dokumenten</translation>
    </message>
    <message>
        <source>The texts are no longer the same: the search for heads begins again</source>
        <translation>Die Texte sind nicht mehr dieselben: Die Suche nach Köpfen beginnt von vorn</translation>
    </message>
</context>
<context>
    <name>RecallHeadsForm</name>
    <message>
        <source>Novels</source>
        <translation>Romane</translation>
    </message>
    <message>
        <source>Documents</source>
        <translation>Dokumente</translation>
    </message>
    <message>
        <source>Excerpts of the novels, into which needles are inserted</source>
        <translation>Auszüge aus den Romanen, in die Nadeln eingefügt werden</translation>
    </message>
    <message>
        <source>Held out</source>
        <translation>Zurückgehalten</translation>
    </message>
    <message>
        <source>The last documents, which are used only to check searchers</source>
        <translation>Die letzten Dokumente, die nur zum Prüfen der Sucher dienen</translation>
    </message>
    <message>
        <source>Segments</source>
        <translation>Segmente</translation>
    </message>
    <message>
        <source>Length of a document</source>
        <translation>Länge eines Dokuments</translation>
    </message>
    <message>
        <source>Needles</source>
        <translation>Nadeln</translation>
    </message>
    <message>
        <source>Numbers, words and facts in a document: this many of each</source>
        <translation>Zahlen, Wörter und Tatsachen in einem Dokument: jeweils so viele</translation>
    </message>
    <message>
        <source>Searchers</source>
        <translation>Sucher</translation>
    </message>
    <message>
        <source>Maximum number of heads that search for all readers</source>
        <translation>Höchstzahl der Köpfe, die für alle Leser suchen</translation>
    </message>
    <message>
        <source> %</source>
        <translation> %</translation>
    </message>
    <message>
        <source>Loss may rise by</source>
        <translation>Verlust darf steigen um</translation>
    </message>
    <message>
        <source>Readers are dropped until the loss of the answers has risen by this share</source>
        <translation>Leser fallen weg, bis der Verlust der Antworten um diesen Anteil gestiegen ist</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Cancelling…</source>
        <translation>Wird abgebrochen …</translation>
    </message>
    <message>
        <source>Progress of the search</source>
        <translation>Fortschritt der Suche</translation>
    </message>
    <message>
        <source>Novels into which needles are inserted</source>
        <translation>Romane, in die Nadeln eingefügt werden</translation>
    </message>
    <message>
        <source>Text files (*.txt);;All files (*)</source>
        <translation>Textdateien (*.txt);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>No model is open</source>
        <translation>Kein Modell ist offen</translation>
    </message>
    <message>
        <source>A search is running</source>
        <translation>Eine Suche läuft</translation>
    </message>
    <message>
        <source>Not now: %1</source>
        <translation>Jetzt nicht: %1</translation>
    </message>
    <message>
        <source>Choose novels, or open a text from a file</source>
        <translation>Wählen Sie Romane, oder öffnen Sie einen Text aus einer Datei</translation>
    </message>
    <message>
        <source>No documents are left to choose heads on: hold out fewer</source>
        <translation>Es bleiben keine Dokumente, an denen Köpfe gewählt werden: Halten Sie weniger zurück</translation>
    </message>
    <message>
        <source>Find heads</source>
        <translation>Köpfe finden</translation>
    </message>
    <message>
        <source>Takes minutes for a small model; Cancel keeps the results so far</source>
        <translation>Dauert bei einem kleinen Modell Minuten; „Abbrechen“ behält die bisherigen Ergebnisse</translation>
    </message>
    <message>
        <source>The open text</source>
        <translation>Der offene Text</translation>
    </message>
    <message>
        <source>%1 texts</source>
        <translation>%1 Texte</translation>
    </message>
    <message>
        <source>Choose other novels: choose heads on texts other than those that you use them on</source>
        <translation>Andere Romane wählen: Wählen Sie Köpfe an anderen Texten aus als denen, auf denen Sie sie verwenden</translation>
    </message>
    <message>
        <source>waiting for the engine</source>
        <translation>wartet auf den Rechenkern</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
</context>
<context>
    <name>RecallHeadsPanel</name>
    <message>
        <source>Find heads</source>
        <translation>Köpfe finden</translation>
    </message>
    <message>
        <source>Settings of the search for heads</source>
        <translation>Einstellungen der Suche nach Köpfen</translation>
    </message>
    <message>
        <source>Result of the search for heads</source>
        <translation>Ergebnis der Suche nach Köpfen</translation>
    </message>
    <message>
        <source>Apply</source>
        <translation>Anwenden</translation>
    </message>
    <message>
        <source>Applies the preset for recall with these heads to the next run (undo: Ctrl+Z)</source>
        <translation>Macht die Recall-Vorlage mit diesen Köpfen zu den Einstellungen des nächsten Laufs (rückgängig: Strg+Z)</translation>
    </message>
    <message>
        <source>Searchers</source>
        <translation>Sucher</translation>
    </message>
    <message>
        <source>Readers</source>
        <translation>Leser</translation>
    </message>
    <message>
        <source>Pool of a document (MiB)</source>
        <translation>Pool eines Dokuments (MiB)</translation>
    </message>
    <message>
        <source>Share, and loss in nats</source>
        <translation>Anteil, und Verlust in nat</translation>
    </message>
    <message>
        <source>Recall against memory</source>
        <translation>Recall gegen Speicher</translation>
    </message>
    <message>
        <source>answered</source>
        <translation>beantwortet</translation>
    </message>
    <message>
        <source>loss</source>
        <translation>Verlust</translation>
    </message>
    <message>
        <source>The search inserts needles into novels. It finds the heads whose search retrieves the answers, then the smallest set of heads that has to read them.</source>
        <translation>Die Suche fügt Nadeln in Romane ein. Sie findet die Köpfe, deren Suche die Antworten abruft, und dann die kleinste Menge von Köpfen, die sie lesen muss.</translation>
    </message>
    <message>
        <source>Found together by %1: %2 % of the answers, %3 % on documents held out.</source>
        <translation>Gemeinsam gefunden von %1: %2 % der Antworten, %3 % in zurückgehaltenen Dokumenten.</translation>
    </message>
    <message>
        <source>These readers need %2 of the pool instead of %1; the loss is %3 instead of %4.</source>
        <translation>Diese Leser brauchen %2 des Pools statt %1; der Verlust ist %3 statt %4.</translation>
    </message>
    <message>
        <source>The search is not finished.</source>
        <translation>Die Suche ist nicht fertig.</translation>
    </message>
    <message>
        <source>No readers have been measured yet</source>
        <translation>Noch wurden keine Leser gemessen</translation>
    </message>
    <message>
        <source>heads for recall</source>
        <translation>Recall-Köpfe</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>Sichern…</translation>
    </message>
    <message>
        <source>Saves these heads and how they were found as a file that Heads × layers imports</source>
        <translation>Sichert diese Köpfe, und wie sie gefunden wurden, in einer Datei, die „Köpfe × Schichten“ importiert</translation>
    </message>
    <message>
        <source>Save the heads</source>
        <translation>Die Köpfe sichern</translation>
    </message>
    <message>
        <source>JSON (*.json)</source>
        <translation>JSON (*.json)</translation>
    </message>
</context>
<context>
    <name>RecallPanel</name>
    <message>
        <source>Retrieval recall</source>
        <translation>Retrieval-Recall</translation>
    </message>
    <message>
        <source>Retrieval recall of the segment</source>
        <translation>Retrieval-Recall des Segments</translation>
    </message>
    <message>
        <source>Retrieval recall by head</source>
        <translation>Retrieval-Recall nach Kopf</translation>
    </message>
    <message>
        <source>Long-range head, by layer</source>
        <translation>Weitreichender Kopf, nach Schicht</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>Anteil</translation>
    </message>
    <message>
        <source>mass of the R positions with most attention</source>
        <translation>Masse der R Positionen mit der meisten Attention</translation>
    </message>
    <message>
        <source>mass of the retrieved positions</source>
        <translation>Masse der abgerufenen Positionen</translation>
    </message>
    <message>
        <source>recall@R</source>
        <translation>Recall@R</translation>
    </message>
    <message>
        <source>Retrieval recall of segment %1</source>
        <translation>Retrieval-Recall von Segment %1</translation>
    </message>
    <message>
        <source>layer %1, head %2
recall@R %3 %
mass %4 %, at most %5 %</source>
        <translation>Schicht %1, Kopf %2
Recall@R %3 %
Masse %4 %, höchstens %5 %</translation>
    </message>
    <message>
        <source>Segment %1, mean over heads (%2): recall@R %3 %; %4 % of the attention over all searched positions falls on retrieved positions, %5 % is the maximum</source>
        <translation>Segment %1, Mittel über Köpfe (%2): Recall@R %3 %; %4 % der Attention über alle durchsuchten Positionen liegen auf abgerufenen Positionen, %5 % sind das Maximum</translation>
    </message>
</context>
<context>
    <name>RecallTable</name>
    <message>
        <source>Layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>Head</source>
        <translation>Kopf</translation>
    </message>
    <message>
        <source>Recall@R</source>
        <translation>Recall@R</translation>
    </message>
    <message>
        <source>Mass</source>
        <translation>Masse</translation>
    </message>
    <message>
        <source>Oracle mass</source>
        <translation>Masse des Orakels</translation>
    </message>
    <message>
        <source>Missed</source>
        <translation>Verpasst</translation>
    </message>
    <message>
        <source>Query head</source>
        <translation>Query-Kopf</translation>
    </message>
    <message>
        <source>Share of the R positions with most attention over all searched positions that was retrieved</source>
        <translation>Anteil der R Positionen mit der meisten Attention über alle durchsuchten Positionen, der abgerufen wurde</translation>
    </message>
    <message>
        <source>Share of the attention over all searched positions that falls on retrieved positions</source>
        <translation>Anteil der Attention über alle durchsuchten Positionen, der auf abgerufenen Positionen liegt</translation>
    </message>
    <message>
        <source>The same for the R positions with most attention: the maximum for R positions</source>
        <translation>Dasselbe für die R Positionen mit der meisten Attention: das Maximum für R Positionen</translation>
    </message>
    <message>
        <source>Oracle mass minus mass</source>
        <translation>Masse des Orakels minus Masse</translation>
    </message>
</context>
<context>
    <name>RetrievalMapPanel</name>
    <message>
        <source>Retrieval map</source>
        <translation>Retrieval-Karte</translation>
    </message>
    <message>
        <source>Segments × positions, one head</source>
        <translation>Segmente × Positionen, ein Kopf</translation>
    </message>
    <message>
        <source>Heads × positions, one segment</source>
        <translation>Köpfe × Positionen, ein Segment</translation>
    </message>
    <message>
        <source>Rows of the map</source>
        <translation>Zeilen der Karte</translation>
    </message>
    <message>
        <source>Colour by kind</source>
        <translation>Farbe nach Art</translation>
    </message>
    <message>
        <source>Colour by density</source>
        <translation>Farbe nach Dichte</translation>
    </message>
    <message>
        <source>Colour of the map</source>
        <translation>Farbe der Karte</translation>
    </message>
    <message>
        <source>Padding</source>
        <translation>Auffüllung</translation>
    </message>
    <message>
        <source>Padding only fills up the prefix: it is not evidence of retrieval</source>
        <translation>Auffüllung füllt nur das Präfix auf: Sie ist kein Beleg für Retrieval</translation>
    </message>
    <message>
        <source>padding</source>
        <translation>Auffüllung</translation>
    </message>
    <message>
        <source>expanded</source>
        <translation>erweitert</translation>
    </message>
    <message>
        <source>anchor</source>
        <translation>Anker</translation>
    </message>
    <message>
        <source>start of the segment</source>
        <translation>Anfang des Segments</translation>
    </message>
    <message>
        <source>Source position (token)</source>
        <translation>Quellposition (Token)</translation>
    </message>
    <message>
        <source>Query segment</source>
        <translation>Query-Segment</translation>
    </message>
    <message>
        <source>Layer, head</source>
        <translation>Schicht, Kopf</translation>
    </message>
    <message>
        <source>What layer %1, head %2 retrieves</source>
        <translation>Was Schicht %1, Kopf %2 abruft</translation>
    </message>
    <message>
        <source>What segment %1 retrieves</source>
        <translation>Was Segment %1 abruft</translation>
    </message>
    <message>
        <source>Hits per position</source>
        <translation>Treffer je Position</translation>
    </message>
    <message>
        <source>Hits per %1 positions</source>
        <translation>Treffer je %1 Positionen</translation>
    </message>
    <message>
        <source>segment %1 · layer %2 · head %3</source>
        <translation>Segment %1 · Schicht %2 · Kopf %3</translation>
    </message>
    <message>
        <source>position %1: not retrieved</source>
        <translation>Position %1: nicht abgerufen</translation>
    </message>
    <message>
        <source>position %1: %2</source>
        <translation>Position %1: %2</translation>
    </message>
    <message>
        <source>, score %1</source>
        <translation>, Wertung %1</translation>
    </message>
    <message>
        <source>strongest of the %1 positions in this cell</source>
        <translation>die stärkste der %1 Positionen in dieser Zelle</translation>
    </message>
</context>
<context>
    <name>RibbonStrip</name>
    <message>
        <source>Segments</source>
        <translation>Segmente</translation>
    </message>
    <message>
        <source>One cell per segment. Left and Right select, Home and End go to the ends.</source>
        <translation>Eine Zelle je Segment. Links und rechts wählen, Pos1 und Ende gehen an die Enden.</translation>
    </message>
    <message>
        <source>K = %1</source>
        <translation>K = %1</translation>
    </message>
    <message>
        <source>Segments of the text appear here once it runs.</source>
        <translation>Die Segmente des Textes erscheinen hier, sobald er ausgeführt wird.</translation>
    </message>
    <message>
        <source>Segment %1: not run yet</source>
        <translation>Segment %1: noch nicht ausgeführt</translation>
    </message>
    <message>
        <source>Δ loss against the pinned run: %1 nats</source>
        <translation>Δ Verlust gegen den angehefteten Lauf: %1 nat</translation>
    </message>
    <message>
        <source>Unpin segment %1</source>
        <translation>Segment %1 lösen</translation>
    </message>
    <message>
        <source>Pin segment %1 as reference</source>
        <translation>Segment %1 als Bezug anheften</translation>
    </message>
    <message>
        <source>Filter to segment %1</source>
        <translation>Nur Segment %1 zeigen</translation>
    </message>
    <message>
        <source>Show all segments</source>
        <translation>Alle Segmente zeigen</translation>
    </message>
    <message>
        <source>Attention sink lost in %1 of %2 segments: %3. Set Sinks to %4 and run again.</source>
        <translation>Attention-Sink in %1 von %2 Segmenten verloren: %3. Setzen Sie Sinks auf %4, und führen Sie den Text noch einmal aus.</translation>
    </message>
    <message>
        <source>Segment %1: tokens %2 to %3
loss %4 nats, PPL %5
%L6 hits, mean carried key norm %7
%8 s, %9 near-ties at the cutoff</source>
        <translation>Segment %1: Token %2 bis %3
Verlust %4 nat, PPL %5
%L6 Treffer, mittlere Norm der übertragenen Keys %7
%8 s, %9 Fast-Gleichstände</translation>
    </message>
</context>
<context>
    <name>RowFilter</name>
    <message>
        <source>Filter</source>
        <translation>Filter</translation>
    </message>
</context>
<context>
    <name>RunController</name>
    <message>
        <source>settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Correct the marked field, then run.</source>
        <translation>Berichtigen Sie das markierte Feld, und starten Sie dann den Lauf.</translation>
    </message>
    <message>
        <source>a run is in progress</source>
        <translation>ein Lauf ist im Gange</translation>
    </message>
    <message>
        <source>a model or a text is being loaded</source>
        <translation>ein Modell oder ein Text wird geladen</translation>
    </message>
    <message>
        <source>no model is open</source>
        <translation>kein Modell ist offen</translation>
    </message>
    <message>
        <source>no text is open</source>
        <translation>kein Text ist offen</translation>
    </message>
    <message>
        <source>a run is using the engine</source>
        <translation>ein Lauf benutzt den Rechenkern</translation>
    </message>
    <message>
        <source>Running %L1 tokens, policy %2</source>
        <translation>Führt %L1 Token aus, Verfahren %2</translation>
    </message>
    <message>
        <source>Stopped after</source>
        <translation>Angehalten nach</translation>
    </message>
    <message>
        <source>Done:</source>
        <translation>Fertig:</translation>
    </message>
    <message>
        <source>%1: run %2, %L3 segments%4</source>
        <translation>%1: Lauf %2, %L3 Segmente%4</translation>
    </message>
    <message>
        <source>; its model is not available, so tokens have no text</source>
        <translation>; sein Modell ist nicht verfügbar, darum haben Token keinen Text</translation>
    </message>
    <message>
        <source>the shown run was not stopped before its end</source>
        <translation>der gezeigte Lauf wurde nicht vor seinem Ende angehalten</translation>
    </message>
    <message>
        <source>it was made with other weights: open %1</source>
        <translation>er entstand mit anderen Gewichten: Öffnen Sie %1</translation>
    </message>
    <message>
        <source>continuing a run</source>
        <translation>einen Lauf fortsetzen</translation>
    </message>
    <message>
        <source>Open the run and its model first.</source>
        <translation>Öffnen Sie zuerst den Lauf und sein Modell.</translation>
    </message>
    <message>
        <source>Continues after segment %1</source>
        <translation>Setzt nach Segment %1 fort</translation>
    </message>
    <message>
        <source>the connection to the engine is lost: press Reconnect</source>
        <translation>die Verbindung zum Rechenkern ist verloren: Drücken Sie „Neu verbinden“</translation>
    </message>
    <message>
        <source>the hits that it was given in place of a search can&apos;t be read again: %1</source>
        <translation>die Treffer, die er statt einer Suche bekam, lassen sich nicht wieder lesen: %1</translation>
    </message>
    <message>
        <source>Put the file back, or run the text again.</source>
        <translation>Legen Sie die Datei zurück, oder führen Sie den Text noch einmal aus.</translation>
    </message>
    <message>
        <source>Stop it first, or wait for its end.</source>
        <translation>Erst anhalten oder das Ende abwarten.</translation>
    </message>
    <message>
        <source>the connection to the engine is lost</source>
        <translation>die Verbindung zum Rechenkern ist verloren</translation>
    </message>
    <message>
        <source>Press Reconnect.</source>
        <translation>Drücken Sie „Neu verbinden“.</translation>
    </message>
    <message>
        <source>Open a model first.</source>
        <translation>Öffnen Sie zuerst ein Modell.</translation>
    </message>
    <message>
        <source>Open a text first.</source>
        <translation>Öffnen Sie zuerst einen Text.</translation>
    </message>
    <message>
        <source>%1 %L2 tokens in %3 s, PPL %4, near-ties at the top-k cutoff: %5</source>
        <translation>%1 %L2 Token in %3 s, PPL %4, Fast-Gleichstände an der Grenze von top-k: %5</translation>
    </message>
</context>
<context>
    <name>RunDigests</name>
    <message>
        <source>text</source>
        <translation>Text</translation>
    </message>
</context>
<context>
    <name>RunDigestsTable</name>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>PPL</source>
        <translation>PPL</translation>
    </message>
    <message>
        <source>Hits</source>
        <translation>Treffer</translation>
    </message>
    <message>
        <source>Median dist.</source>
        <translation>Median-Abst.</translation>
    </message>
</context>
<context>
    <name>RunLibrary</name>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>Training</translation>
    </message>
    <message>
        <source>What-if</source>
        <translation>Versuch</translation>
    </message>
    <message>
        <source>Experiment</source>
        <translation>Experiment</translation>
    </message>
    <message>
        <source>Evaluation</source>
        <translation>Auswertung</translation>
    </message>
    <message>
        <source>Prompt set</source>
        <translation>Prompt-Menge</translation>
    </message>
    <message>
        <source>Question</source>
        <translation>Frage</translation>
    </message>
</context>
<context>
    <name>RunLibraryTable</name>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>Not complete</source>
        <translation>Nicht vollständig</translation>
    </message>
    <message>
        <source>In progress</source>
        <translation>Im Gang</translation>
    </message>
    <message>
        <source>No longer there</source>
        <translation>Nicht mehr da</translation>
    </message>
    <message>
        <source>Saved in %1</source>
        <translation>Gesichert in %1</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Schlagwörter</translation>
    </message>
    <message>
        <source>Policy</source>
        <translation>Verfahren</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Verlust</translation>
    </message>
    <message>
        <source>PPL</source>
        <translation>PPL</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Date</source>
        <translation>Datum</translation>
    </message>
</context>
<context>
    <name>RunReport</name>
    <message>
        <source>Without its best hit</source>
        <translation>Ohne seinen besten Treffer</translation>
    </message>
</context>
<context>
    <name>RunsPanel</name>
    <message>
        <source>Runs</source>
        <translation>Läufe</translation>
    </message>
    <message>
        <source>Loss of the ticked runs</source>
        <translation>Verlust der angehakten Läufe</translation>
    </message>
    <message>
        <source>Tokens read</source>
        <translation>Gelesene Token</translation>
    </message>
    <message>
        <source>Tick runs in the list to compare them</source>
        <translation>Läufe in der Liste anhaken, um sie zu vergleichen</translation>
    </message>
    <message>
        <source>Runs of this session</source>
        <translation>Läufe dieser Sitzung</translation>
    </message>
    <message>
        <source>&amp;Open</source>
        <translation>Ö&amp;ffnen</translation>
    </message>
    <message>
        <source>Show the selected run in all views</source>
        <translation>Den gewählten Lauf in allen Ansichten zeigen</translation>
    </message>
    <message>
        <source>&amp;Compare A | B</source>
        <translation>A | B &amp;vergleichen</translation>
    </message>
    <message>
        <source>Show the two ticked runs side by side in Compare. A is the shown run, or else the one ticked last; B is the other</source>
        <translation>Die beiden angehakten Läufe in „Vergleich“ nebeneinander zeigen. A ist der gezeigte Lauf oder sonst der zuletzt angehakte; B ist der andere</translation>
    </message>
    <message>
        <source>&amp;Rename</source>
        <translation>&amp;Umbenennen</translation>
    </message>
    <message>
        <source>&amp;Tags…</source>
        <translation>&amp;Schlagwörter …</translation>
    </message>
    <message>
        <source>Your own words, separated by commas</source>
        <translation>Eigene Wörter, durch Kommas getrennt</translation>
    </message>
    <message>
        <source>Re&amp;sume</source>
        <translation>&amp;Fortsetzen</translation>
    </message>
    <message>
        <source>&amp;Delete</source>
        <translation>&amp;Löschen</translation>
    </message>
    <message>
        <source>Delete the selected runs. The window deletes runs of this session when it closes; until then you can undo it. Other folders only leave the list.</source>
        <translation>Die gewählten Läufe löschen. Läufe dieser Sitzung löscht das Fenster, wenn es schließt; bis dahin lässt sich das rückgängig machen. Andere Ordner verschwinden nur aus der Liste.</translation>
    </message>
    <message>
        <source>&amp;Undo delete</source>
        <translation>Löschen &amp;rückgängig machen</translation>
    </message>
    <message>
        <source>Show only runs that contain all of these words in name, kind, tags, policy or model</source>
        <translation>Nur Läufe zeigen, die alle diese Wörter in Name, Art, Schlagwörtern, Verfahren oder Modell enthalten</translation>
    </message>
    <message>
        <source>Disk used by the runs of this session</source>
        <translation>Plattenplatz der Läufe dieser Sitzung</translation>
    </message>
    <message>
        <source>Limit…</source>
        <translation>Grenze …</translation>
    </message>
    <message>
        <source>Disk space that the runs of this session may use before a warning</source>
        <translation>Plattenplatz, den die Läufe dieser Sitzung belegen dürfen, bevor eine Warnung erscheint</translation>
    </message>
    <message>
        <source>Delete the oldest runs without a tag until the limit is met; you can undo it</source>
        <translation>Die ältesten Läufe ohne Schlagwort löschen, bis die Grenze eingehalten ist; das lässt sich rückgängig machen</translation>
    </message>
    <message>
        <source>Deleted runs</source>
        <translation>Gelöschte Läufe</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Take back the run that was deleted last</source>
        <translation>Den zuletzt gelöschten Lauf zurückholen</translation>
    </message>
    <message>
        <source>Delete for good</source>
        <translation>Endgültig löschen</translation>
    </message>
    <message>
        <source>Free their disk space now; this can&apos;t be undone</source>
        <translation>Ihren Plattenplatz jetzt freigeben; das lässt sich nicht rückgängig machen</translation>
    </message>
    <message>
        <source>Disk for runs</source>
        <translation>Plattenplatz für Läufe</translation>
    </message>
    <message>
        <source>Limit in GB; 0: none. Above it you get a warning; nothing is deleted automatically.</source>
        <translation>Grenze in GB; 0: keine. Darüber erscheint eine Warnung; nichts wird automatisch gelöscht.</translation>
    </message>
    <message>
        <source>Disk: %1</source>
        <translation>Platte: %1</translation>
    </message>
    <message>
        <source>Disk: %1 of %2</source>
        <translation>Platte: %1 von %2</translation>
    </message>
    <message>
        <source>Delete the oldest: %1 (%2)</source>
        <translation>Die ältesten löschen: %1 (%2)</translation>
    </message>
    <message>
        <source>Deleted: %1</source>
        <translation>Gelöscht: %1</translation>
    </message>
    <message>
        <source>NLL (nats)</source>
        <translation>NLL (nat)</translation>
    </message>
    <message>
        <source>Continue a run after its last segment, a training from its newest checkpoint, or an experiment</source>
        <translation>Einen Lauf nach seinem letzten Segment fortsetzen, ein Training von seinem neuesten Checkpoint oder ein Experiment</translation>
    </message>
</context>
<context>
    <name>SearchWalk</name>
    <message>
        <source>tail %1</source>
        <translation>Ende %1</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>Zusammenfassung</translation>
    </message>
    <message>
        <source>Mean of the queries</source>
        <translation>Mittel der Queries</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>Best score</source>
        <translation>Beste Wertung</translation>
    </message>
    <message>
        <source>Position</source>
        <translation>Position</translation>
    </message>
    <message>
        <source>Score</source>
        <translation>Wertung</translation>
    </message>
    <message>
        <source>Anchor</source>
        <translation>Anker</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>ja</translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>Rang</translation>
    </message>
    <message>
        <source>By summary</source>
        <translation>Durch Zusammenfassung</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>Of anchor</source>
        <translation>Von Anker</translation>
    </message>
    <message>
        <source>Summaries</source>
        <translation>Zusammenfassungen</translation>
    </message>
    <message>
        <source>Scores</source>
        <translation>Wertungen</translation>
    </message>
    <message>
        <source>Top-k</source>
        <translation>Top-k</translation>
    </message>
    <message>
        <source>Anchors</source>
        <translation>Anker</translation>
    </message>
    <message>
        <source>Expansion</source>
        <translation>Erweiterung</translation>
    </message>
    <message>
        <source>Padding</source>
        <translation>Auffüllung</translation>
    </message>
    <message>
        <source>The last queries of the previous segment, averaged into %1 summaries: overlapping windows, and the tail.</source>
        <translation>Die letzten Queries des vorigen Segments, gemittelt zu %1 Zusammenfassungen: überlappende Fenster und das Ende.</translation>
    </message>
    <message>
        <source>Raw dot products of each summary with every unrotated key of the pool.</source>
        <translation>Rohe Skalarprodukte jeder Zusammenfassung mit jedem unrotierten Key des Pools.</translation>
    </message>
    <message>
        <source>The best keys of each summary: %1 in all, %2 different positions.</source>
        <translation>Die besten Keys jeder Zusammenfassung: %1 insgesamt, %2 verschiedene Positionen.</translation>
    </message>
    <message>
        <source>Each position with its best score; the %1 best are the anchors.</source>
        <translation>Jede Position mit ihrer besten Wertung; die %1 besten sind die Anker.</translation>
    </message>
    <message>
        <source>Each anchor is expanded to its neighbours, the best anchor first, until R positions are selected: %1 anchors and %2 expanded.</source>
        <translation>Jeder Anker wird um seine Nachbarn erweitert, der beste Anker zuerst, bis R Positionen gewählt sind: %1 Anker und %2 erweiterte.</translation>
    </message>
    <message>
        <source>Padded to R with the earliest unused positions (%1 added): %2 slots in total.</source>
        <translation>Mit den frühesten unbenutzten Positionen auf R aufgefüllt (%1 hinzugefügt): %2 Plätze insgesamt.</translation>
    </message>
    <message>
        <source>The last %1 queries of the previous segment, of layer %2, head %3.</source>
        <translation>Die letzten %1 Queries des vorigen Segments, von Schicht %2, Kopf %3.</translation>
    </message>
    <message>
        <source>For each key of the pool, minus the mean of all keys: the largest dot product with a query.</source>
        <translation>Für jeden Key des Pools, abzüglich des Mittels aller Keys: das größte Skalarprodukt mit einer Query.</translation>
    </message>
    <message>
        <source>For each key of the pool: the largest dot product with a summary.</source>
        <translation>Für jeden Key des Pools: das größte Skalarprodukt mit einer Zusammenfassung.</translation>
    </message>
    <message>
        <source>The windows of %1 positions with the best mean score, best first: %2. Each is listed by its best position.</source>
        <translation>Die Fenster von %1 Positionen mit der besten mittleren Wertung, das beste zuerst: %2. Jedes ist unter seiner besten Position aufgeführt.</translation>
    </message>
    <message>
        <source>All positions of these windows are read: %1.</source>
        <translation>Alle Positionen dieser Fenster werden gelesen: %1.</translation>
    </message>
    <message>
        <source>Queries</source>
        <translation>Queries</translation>
    </message>
    <message>
        <source>Windows</source>
        <translation>Fenster</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>Search heads: %1. Their z-scores over the pool are added up; the first one&apos;s scores are shown.</source>
        <translation>Suchköpfe: %1. Ihre z-Werte über den Pool werden addiert; gezeigt werden die Wertungen des ersten.</translation>
    </message>
    <message>
        <source>No.</source>
        <translation>Nr.</translation>
    </message>
    <message>
        <source>Position of the best key</source>
        <translation>Position des besten Keys</translation>
    </message>
</context>
<context>
    <name>SearchersTable</name>
    <message>
        <source>Searcher</source>
        <translation>Sucher</translation>
    </message>
    <message>
        <source>Found</source>
        <translation>Gefunden</translation>
    </message>
    <message>
        <source>Held out</source>
        <translation>Zurückgehalten</translation>
    </message>
    <message>
        <source>Alone</source>
        <translation>Allein</translation>
    </message>
    <message>
        <source>Layer and head</source>
        <translation>Schicht und Kopf</translation>
    </message>
    <message>
        <source>Share of the answers in the windows that this head and those above find together</source>
        <translation>Anteil der Antworten in den Fenstern, die dieser Kopf und die darüber zusammen finden</translation>
    </message>
    <message>
        <source>The same on documents that no head was chosen by</source>
        <translation>Dasselbe in Dokumenten, nach denen kein Kopf gewählt wurde</translation>
    </message>
    <message>
        <source>Share that the head finds alone</source>
        <translation>Anteil, den der Kopf allein findet</translation>
    </message>
</context>
<context>
    <name>SegmentCursor</name>
    <message>
        <source>Values at the cursor</source>
        <translation>Werte am Cursor</translation>
    </message>
    <message>
        <source>&amp;Pin this segment as reference</source>
        <translation>Dieses Segment als Bezug an&amp;heften</translation>
    </message>
    <message>
        <source>segment %1 · %2</source>
        <translation>Segment %1 · %2</translation>
    </message>
    <message>
        <source> · Δ to segment %1</source>
        <translation> · Δ zu Segment %1</translation>
    </message>
    <message>
        <source>P pins or unpins a segment as reference</source>
        <translation>P heftet ein Segment als Bezug an oder löst es</translation>
    </message>
    <message>
        <source>segment %1</source>
        <translation>Segment %1</translation>
    </message>
    <message>
        <source>in %1: %2</source>
        <translation>in %1: %2</translation>
    </message>
</context>
<context>
    <name>SessionHistory</name>
    <message>
        <source>%1; its window did not close by itself</source>
        <translation>%1; ihr Fenster ist nicht von selbst geschlossen worden</translation>
    </message>
    <message>
        <source>Session history</source>
        <translation>Sitzungsverlauf</translation>
    </message>
    <message>
        <source>Earlier sessions</source>
        <translation>Frühere Sitzungen</translation>
    </message>
    <message>
        <source>Session</source>
        <translation>Sitzung</translation>
    </message>
    <message>
        <source>Last change</source>
        <translation>Letzte Änderung</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Contents</source>
        <translation>Inhalt</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Shows the session in this window; what is on show now stays in this list</source>
        <translation>Zeigt die Sitzung in diesem Fenster; was jetzt zu sehen ist, bleibt in dieser Liste</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Deletes the chosen sessions with their runs when this window closes</source>
        <translation>Löscht die gewählten Sitzungen mit ihren Läufen, wenn dieses Fenster schließt</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Brings back the session that was deleted last</source>
        <translation>Bringt die zuletzt gelöschte Sitzung zurück</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Sessions: %1, %2 on disk. A session stays until you delete it here. One that is deleted can be brought back until this window closes.</source>
        <translation>Sitzungen: %1, %2 auf der Platte. Eine Sitzung bleibt, bis Sie sie hier löschen. Eine gelöschte lässt sich zurückholen, bis dieses Fenster schließt.</translation>
    </message>
</context>
<context>
    <name>SessionKeeper</name>
    <message>
        <source>This session can&apos;t be saved: %1</source>
        <translation>Diese Sitzung lässt sich nicht sichern: %1</translation>
    </message>
    <message>
        <source>The last session&apos;s model is gone: %1</source>
        <translation>Das Modell der letzten Sitzung ist fort: %1</translation>
    </message>
    <message>
        <source>The program ended while it restored the last session; the session is in File, Session history</source>
        <translation>Das Programm endete, während es die letzte Sitzung zurückholte; sie steht in Datei, Sitzungsverlauf</translation>
    </message>
    <message>
        <source>The program ended unexpectedly; this is what it last showed</source>
        <translation>Das Programm endete unerwartet; dies hat es zuletzt gezeigt</translation>
    </message>
    <message>
        <source>The last session can&apos;t be read: %1</source>
        <translation>Die letzte Sitzung lässt sich nicht lesen: %1</translation>
    </message>
    <message>
        <source>another session is being opened</source>
        <translation>eine andere Sitzung wird gerade geöffnet</translation>
    </message>
    <message>
        <source>session</source>
        <translation>Sitzung</translation>
    </message>
    <message>
        <source>Stop it first, or wait for its end.</source>
        <translation>Erst anhalten oder das Ende abwarten.</translation>
    </message>
    <message>
        <source>The last session&apos;s run is gone: %1</source>
        <translation>Der Lauf der letzten Sitzung ist fort: %1</translation>
    </message>
    <message>
        <source>%1 has been saved since by another session. This one has no file now: Save asks for one</source>
        <translation>%1 wurde inzwischen von einer anderen Sitzung gesichert. Diese hat nun keine Datei: „Sitzung sichern“ fragt nach einer</translation>
    </message>
</context>
<context>
    <name>SessionRestorer</name>
    <message>
        <source>The session&apos;s what-if names positions that the run does not have; it was left out</source>
        <translation>Der Versuch der Sitzung nennt Positionen, die der Lauf nicht hat; er wurde weggelassen</translation>
    </message>
    <message>
        <source>The session&apos;s settings don&apos;t fit the model: %1</source>
        <translation>Die Einstellungen der Sitzung passen nicht zum Modell: %1</translation>
    </message>
    <message>
        <source>The run was interrupted after %1 of %2 segments. Run repeats it.</source>
        <translation>Der Lauf wurde nach %1 von %2 Segmenten unterbrochen. „Lauf“ wiederholt ihn.</translation>
    </message>
    <message>
        <source>The training run %1 is not on this machine, or no longer</source>
        <translation>Den Trainingslauf %1 gibt es auf diesem Rechner nicht, oder nicht mehr</translation>
    </message>
    <message>
        <source>the session was saved with the weights %1, and these are %2</source>
        <translation>die Sitzung wurde mit den Gewichten %1 gesichert, und diese sind %2</translation>
    </message>
    <message>
        <source>The recorded results are shown. Restore the files that it was saved with, or run the text again.</source>
        <translation>Gezeigt werden die aufgezeichneten Ergebnisse. Stellen Sie die Dateien wieder her, mit denen die Sitzung gesichert wurde, oder führen Sie den Text noch einmal aus.</translation>
    </message>
    <message>
        <source>The session&apos;s run was made with the weights %1, and the open model has %2; run the text again</source>
        <translation>Der Lauf der Sitzung entstand mit den Gewichten %1, und das offene Modell hat %2; führen Sie den Text noch einmal aus</translation>
    </message>
</context>
<context>
    <name>SessionWriter</name>
    <message>
        <source>is no longer there</source>
        <translation>gibt es nicht mehr</translation>
    </message>
    <message>
        <source>The session comes back without this run.</source>
        <translation>Die Sitzung kommt ohne diesen Lauf zurück.</translation>
    </message>
    <message>
        <source>is missing</source>
        <translation>fehlt</translation>
    </message>
    <message>
        <source>The session is saved without it.</source>
        <translation>Die Sitzung wird ohne sie gespeichert.</translation>
    </message>
    <message>
        <source>the disk is full: the session needs %1 there, and %2 are free</source>
        <translation>die Platte ist voll: Die Sitzung braucht dort %1, und %2 sind frei</translation>
    </message>
    <message>
        <source>What was saved there before is unchanged, and the window keeps its work. Free some space and save again, or save the session on another disk.</source>
        <translation>Was dort vorher gesichert war, ist unverändert, und das Fenster behält seine Arbeit. Schaffen Sie Platz und sichern Sie erneut, oder sichern Sie die Sitzung auf einer anderen Platte.</translation>
    </message>
</context>
<context>
    <name>SettingsFile</name>
    <message>
        <source>The settings can&apos;t be read (%1); they are kept as %2</source>
        <translation>Die Einstellungen lassen sich nicht lesen (%1); sie bleiben als %2 erhalten</translation>
    </message>
</context>
<context>
    <name>Shell</name>
    <message>
        <source>session</source>
        <translation>Sitzung</translation>
    </message>
    <message>
        <source>its engine was not started: %1</source>
        <translation>ihr Rechenkern wurde nicht gestartet: %1</translation>
    </message>
    <message>
        <source>Its model is on that engine&apos;s machine. Start the engine, or open a model on this machine.</source>
        <translation>Ihr Modell liegt auf dessen Rechner. Starten Sie den Rechenkern, oder öffnen Sie ein Modell dieses Rechners.</translation>
    </message>
    <message>
        <source>Look at the command</source>
        <translation>Befehl ansehen</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>Command palette…</source>
        <translation>Befehlspalette …</translation>
    </message>
    <message>
        <source>Ctrl+Shift+P</source>
        <translation>Ctrl+Shift+P</translation>
    </message>
    <message>
        <source>Bookmark the selection</source>
        <translation>Lesezeichen auf die Auswahl</translation>
    </message>
    <message>
        <source>Ctrl+D</source>
        <translation>Ctrl+D</translation>
    </message>
    <message>
        <source>Guide</source>
        <translation>Anleitung</translation>
    </message>
    <message>
        <source>Open session…</source>
        <translation>Sitzung öffnen …</translation>
    </message>
    <message>
        <source>Ctrl+Shift+O</source>
        <translation>Ctrl+Shift+O</translation>
    </message>
    <message>
        <source>Save session</source>
        <translation>Sitzung sichern</translation>
    </message>
    <message>
        <source>Save session as…</source>
        <translation>Sitzung sichern als …</translation>
    </message>
    <message>
        <source>Ctrl+Shift+S</source>
        <translation>Ctrl+Shift+S</translation>
    </message>
    <message>
        <source>Recent models</source>
        <translation>Letzte Modelle</translation>
    </message>
    <message>
        <source>Recent texts</source>
        <translation>Letzte Texte</translation>
    </message>
    <message>
        <source>Recent sessions</source>
        <translation>Letzte Sitzungen</translation>
    </message>
    <message>
        <source>Layout</source>
        <translation>Anordnung</translation>
    </message>
    <message>
        <source>Layout: %1</source>
        <translation>Anordnung: %1</translation>
    </message>
    <message>
        <source>Save layout…</source>
        <translation>Anordnung sichern …</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>The language changes when the program is next started</source>
        <translation>Die Sprache wechselt beim nächsten Start</translation>
    </message>
    <message>
        <source>The settings can&apos;t be saved: %1</source>
        <translation>Die Einstellungen lassen sich nicht sichern: %1</translation>
    </message>
    <message>
        <source>Open a session</source>
        <translation>Sitzung öffnen</translation>
    </message>
    <message>
        <source>Sessions (*.%1)</source>
        <translation>Sitzungen (*.%1)</translation>
    </message>
    <message>
        <source>Save the session</source>
        <translation>Sitzung sichern</translation>
    </message>
    <message>
        <source>Save layout</source>
        <translation>Anordnung sichern</translation>
    </message>
    <message>
        <source>Name of the layout</source>
        <translation>Name der Anordnung</translation>
    </message>
    <message>
        <source>Open recent model: %1</source>
        <translation>Letztes Modell öffnen: %1</translation>
    </message>
    <message>
        <source>Open recent text: %1</source>
        <translation>Letzten Text öffnen: %1</translation>
    </message>
    <message>
        <source>Open recent session: %1</source>
        <translation>Letzte Sitzung öffnen: %1</translation>
    </message>
    <message>
        <source>Guide: %1</source>
        <translation>Anleitung: %1</translation>
    </message>
    <message>
        <source>Unsaved session</source>
        <translation>Ungesicherte Sitzung</translation>
    </message>
    <message>
        <source>%1 has changes that are not saved.</source>
        <translation>%1 hat Änderungen, die nicht gesichert sind.</translation>
    </message>
    <message>
        <source>An experiment is running</source>
        <translation>Ein Experiment läuft</translation>
    </message>
    <message>
        <source>Closing the window stops it. What is done is kept, and Continue resumes it.</source>
        <translation>Das Schließen des Fensters hält es an. Was fertig ist, bleibt erhalten, und „Fortsetzen“ setzt es fort.</translation>
    </message>
    <message>
        <source>Stop and close</source>
        <translation>Anhalten und schließen</translation>
    </message>
    <message>
        <source>Keep it running</source>
        <translation>Weiterlaufen lassen</translation>
    </message>
    <message>
        <source>Carryover</source>
        <translation>Carryover</translation>
    </message>
    <message>
        <source>Getting started</source>
        <translation>Erste Schritte</translation>
    </message>
    <message>
        <source>Custom layouts</source>
        <translation>Eigene Anordnungen</translation>
    </message>
    <message>
        <source>The file holds another session</source>
        <translation>Die Datei enthält eine andere Sitzung</translation>
    </message>
    <message>
        <source>%1 has been saved by another session, or in another window. Overwriting it deletes the runs that only that session has.</source>
        <translation>%1 wurde von einer anderen Sitzung oder in einem anderen Fenster gesichert. Überschreiben löscht die Läufe, die nur jene Sitzung hat.</translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation>Sichern als …</translation>
    </message>
    <message>
        <source>Overwrite</source>
        <translation>Überschreiben</translation>
    </message>
    <message>
        <source>An evaluation is running</source>
        <translation>Eine Auswertung läuft</translation>
    </message>
    <message>
        <source>About Carryover</source>
        <translation>Über Carryover</translation>
    </message>
    <message>
        <source>Session history…</source>
        <translation>Sitzungsverlauf…</translation>
    </message>
    <message>
        <source>Show sessions</source>
        <translation>Sitzungen zeigen</translation>
    </message>
    <message>
        <source>Windows that did not close by themselves left sessions: %1</source>
        <translation>Fenster, die nicht von selbst geschlossen wurden, haben Sitzungen hinterlassen: %1</translation>
    </message>
    <message>
        <source>Earlier sessions take %1 on the disk</source>
        <translation>Frühere Sitzungen belegen %1 auf der Platte</translation>
    </message>
    <message>
        <source>Delete those that you don&apos;t need.</source>
        <translation>Löschen Sie die, die Sie nicht brauchen.</translation>
    </message>
    <message>
        <source>The window&apos;s work is kept on the disk again</source>
        <translation>Die Arbeit des Fensters wird wieder auf der Platte behalten</translation>
    </message>
    <message>
        <source>The work in this window can&apos;t be kept: %1</source>
        <translation>Die Arbeit in diesem Fenster kann nicht behalten werden: %1</translation>
    </message>
    <message>
        <source>It stays on show, and the window tries again every few seconds. %1 In %2, %3 are free.</source>
        <translation>Sie bleibt sichtbar, und das Fenster versucht es alle paar Sekunden erneut. %1 In %2 sind %3 frei.</translation>
    </message>
    <message>
        <source>The session can&apos;t be kept</source>
        <translation>Die Sitzung kann nicht behalten werden</translation>
    </message>
    <message>
        <source>%1: %2. Closing the window now loses what could not be written.</source>
        <translation>%1: %2. Wenn Sie das Fenster jetzt schließen, geht verloren, was nicht geschrieben werden konnte.</translation>
    </message>
    <message>
        <source>Close anyway</source>
        <translation>Trotzdem schließen</translation>
    </message>
    <message>
        <source>The session is kept and comes back.</source>
        <translation>Die Sitzung bleibt erhalten und kommt wieder.</translation>
    </message>
    <message>
        <source>Quit now</source>
        <translation>Jetzt beenden</translation>
    </message>
    <message>
        <source>Language: %1</source>
        <translation>Sprache: %1</translation>
    </message>
</context>
<context>
    <name>Sinks</name>
    <message>
        <source>Attention sink lost: %1 % of the attention is on sinks, %2 % in segment 0. The segment begins with a carry, and no token took the place of the text&apos;s first one.
Set Sinks to %3 and run again.</source>
        <translation>Attention-Sink verloren: %1 % der Attention liegen auf Sinks, in Segment 0 %2 %. Das Segment beginnt mit einem Übertrag, und kein Token trat an die Stelle des ersten Tokens des Textes.
Setzen Sie Sinks auf %3, und führen Sie den Text noch einmal aus.</translation>
    </message>
    <message>
        <source>A segment has lost its sink where less than %1 % of segment 0&apos;s share of the attention is on sinks. Not judged: segments of fewer than %2 tokens, and models with less than %3 % of the attention on sinks in segment 0.</source>
        <translation>Ein Segment hat seinen Sink verloren, wenn der Anteil seiner Attention, der auf Sinks liegt, weniger als %1 % des Anteils in Segment 0 ist. Nicht beurteilt werden Segmente mit weniger als %2 Token und Modelle, bei denen in Segment 0 weniger als %3 % der Attention auf Sinks liegen.</translation>
    </message>
    <message>
        <source>lost sinks not assessed: fewer than %1 tokens in a segment</source>
        <translation>verlorene Sinks nicht beurteilt: weniger als %1 Token in einem Segment</translation>
    </message>
    <message>
        <source>lost sinks not assessed: only %1 % of segment 0&apos;s attention is on sinks</source>
        <translation>verlorene Sinks nicht beurteilt: nur %1 % der Attention von Segment 0 liegen auf Sinks</translation>
    </message>
</context>
<context>
    <name>SinksPanel</name>
    <message>
        <source>Sinks</source>
        <translation>Sinks</translation>
    </message>
    <message>
        <source>Attention on all sinks</source>
        <translation>Attention auf alle Sinks</translation>
    </message>
    <message>
        <source>Attention on the text&apos;s first tokens</source>
        <translation>Attention auf die ersten Token des Textes</translation>
    </message>
    <message>
        <source>Attention on the carry&apos;s first tokens</source>
        <translation>Attention auf die ersten Token des Übertrags</translation>
    </message>
    <message>
        <source>Attention on the segment&apos;s first tokens</source>
        <translation>Attention auf die ersten Token des Segments</translation>
    </message>
    <message>
        <source>Norm of the first tokens / median</source>
        <translation>Norm der ersten Token / Median</translation>
    </message>
    <message>
        <source>Largest norm / median</source>
        <translation>Größte Norm / Median</translation>
    </message>
    <message>
        <source>What the map shows</source>
        <translation>Was die Karte zeigt</translation>
    </message>
    <message>
        <source>The token of largest norm, where it is not one of the first tokens: mostly a delimiter</source>
        <translation>Das Token mit der größten Norm, wenn es keines der ersten Token ist: meist ein Trennzeichen</translation>
    </message>
    <message>
        <source>Norm of the hidden state that enters the layer: that of a sink is many times the median</source>
        <translation>Norm des Hidden State, der in die Schicht eintritt: Die eines Sinks ist ein Vielfaches des Medians</translation>
    </message>
    <message>
        <source>Shown segment, by layer</source>
        <translation>Gezeigtes Segment, nach Schicht</translation>
    </message>
    <message>
        <source>Run, by segment</source>
        <translation>Lauf, nach Segment</translation>
    </message>
    <message>
        <source>What the curves show</source>
        <translation>Was die Kurven zeigen</translation>
    </message>
    <message>
        <source>Lost sinks</source>
        <translation>Verlorene Sinks</translation>
    </message>
    <message>
        <source>Segment</source>
        <translation>Segment</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>all sinks</source>
        <translation>alle Sinks</translation>
    </message>
    <message>
        <source>text&apos;s first tokens</source>
        <translation>erste Token des Textes</translation>
    </message>
    <message>
        <source>carry&apos;s first tokens</source>
        <translation>erste Token des Übertrags</translation>
    </message>
    <message>
        <source>segment&apos;s first tokens</source>
        <translation>erste Token des Segments</translation>
    </message>
    <message>
        <source>first tokens / median</source>
        <translation>erste Token / Median</translation>
    </message>
    <message>
        <source>largest / median</source>
        <translation>größte / Median</translation>
    </message>
    <message>
        <source>sink lost</source>
        <translation>Sink verloren</translation>
    </message>
    <message>
        <source>no sink lost in %1 segments</source>
        <translation>in %1 Segmenten kein Sink verloren</translation>
    </message>
    <message>
        <source>⚠ sink lost in %1 of %2 segments</source>
        <translation>⚠ Sink in %1 von %2 Segmenten verloren</translation>
    </message>
    <message>
        <source>Segment %1. </source>
        <translation>Segment %1. </translation>
    </message>
    <message>
        <source>Share of the attention</source>
        <translation>Anteil an der Attention</translation>
    </message>
    <message>
        <source>Share of the attention, mean of layers</source>
        <translation>Anteil an der Attention, Mittel der Schichten</translation>
    </message>
    <message>
        <source>Norm / median</source>
        <translation>Norm / Median</translation>
    </message>
    <message>
        <source>Norm / median, the largest of any layer</source>
        <translation>Norm / Median, der größte Wert aller Schichten</translation>
    </message>
    <message>
        <source>Sinks of segment %1, by layer</source>
        <translation>Sinks von Segment %1, nach Schicht</translation>
    </message>
    <message>
        <source>Sinks by segment</source>
        <translation>Sinks nach Segment</translation>
    </message>
    <message>
        <source>Attention on the token of largest norm</source>
        <translation>Attention auf das Token mit der größten Norm</translation>
    </message>
    <message>
        <source>token of largest norm</source>
        <translation>Token mit der größten Norm</translation>
    </message>
    <message>
        <source>segment %1 · layer %2
attention: text&apos;s first tokens %3 %, carry&apos;s %4 %, segment&apos;s %5 %, token of largest norm %6 %
norm / median: first tokens %7, largest %8</source>
        <translation>Segment %1 · Schicht %2
Attention: erste Token des Textes %3 %, des Übertrags %4 %, des Segments %5 %, Token mit der größten Norm %6 %
Norm / Median: erste Token %7, größte %8</translation>
    </message>
    <message>
        <source>largest norm: position %1</source>
        <translation>größte Norm: Position %1</translation>
    </message>
    <message>
        <source>This run was recorded without sink measurements: run the text again</source>
        <translation>Dieser Lauf wurde ohne Messung der Sinks aufgezeichnet: Führen Sie den Text noch einmal aus</translation>
    </message>
</context>
<context>
    <name>StartPanel</name>
    <message>
        <source>layer %1, head %2</source>
        <translation>Schicht %1, Kopf %2</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>Antwort</translation>
    </message>
    <message>
        <source>Which head retrieved this?</source>
        <translation>Welcher Kopf hat das abgerufen?</translation>
    </message>
    <message>
        <source>Shows the heads that retrieved the selected token, and follows the selection</source>
        <translation>Zeigt die Köpfe, die das gewählte Token abgerufen haben, und folgt der Auswahl</translation>
    </message>
    <message>
        <source>Insert a needle and find it</source>
        <translation>Eine Nadel einfügen und finden</translation>
    </message>
    <message>
        <source>Inserts a sentence into the text, runs the text, and shows which heads retrieved the sentence</source>
        <translation>Fügt einen Satz in den Text ein, führt den Text aus und zeigt, welche Köpfe den Satz abgerufen haben</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>The harbour master keeps the brass key under the third blue lantern.</source>
        <translation>The harbour master keeps the brass key under the third blue lantern.</translation>
    </message>
    <message>
        <source>The sentence</source>
        <translation>Der Satz</translation>
    </message>
    <message>
        <source> % in</source>
        <translation> % tief</translation>
    </message>
    <message>
        <source>Position of the sentence in the text that is run</source>
        <translation>Position des Satzes im Text, der ausgeführt wird</translation>
    </message>
    <message>
        <source>Depth, %</source>
        <translation>Tiefe, %</translation>
    </message>
    <message>
        <source>Insert and run</source>
        <translation>Einfügen und ausführen</translation>
    </message>
    <message>
        <source>%1: no head has retrieved this so far.</source>
        <translation>%1: Bisher hat kein Kopf das abgerufen.</translation>
    </message>
    <message>
        <source>%1: &lt;b&gt;%2&lt;/b&gt; retrieved it for segment %3, from %L4 tokens back, </source>
        <translation>%1: &lt;b&gt;%2&lt;/b&gt; hat es für Segment %3 abgerufen, %L4 Token zurück, </translation>
    </message>
    <message>
        <source>as an anchor with score %1.</source>
        <translation>als Anker mit Wertung %1.</translation>
    </message>
    <message>
        <source>Other heads that retrieved it: %1.</source>
        <translation>Andere Köpfe, die es abgerufen haben: %1.</translation>
    </message>
    <message>
        <source>Running the text with the sentence in it…</source>
        <translation>Führt den Text mit dem Satz darin aus …</translation>
    </message>
    <message>
        <source>%1 with a needle</source>
        <translation>%1 mit einer Nadel</translation>
    </message>
    <message>
        <source>The run ended before it reached the sentence.</source>
        <translation>Der Lauf endete, bevor er zum Satz kam.</translation>
    </message>
    <message>
        <source>Its first words are repeated at the end of segment %1.</source>
        <translation>Seine ersten Wörter stehen noch einmal am Ende von Segment %1.</translation>
    </message>
    <message>
        <source>Heads that retrieved tokens of it, over all segments: %1.</source>
        <translation>Köpfe, die Token davon abgerufen haben, über alle Segmente: %1.</translation>
    </message>
    <message>
        <source>Getting started</source>
        <translation>Erste Schritte</translation>
    </message>
    <message>
        <source>Carryover runs a language model over a long text in segments, and shows what each segment gets from those before it: a carried tail and what its heads retrieve.</source>
        <translation>Carryover führt ein Sprachmodell in Segmenten auf einem langen Text aus und zeigt, was jedes Segment von den vorigen bekommt: einen Übertrag und was seine Köpfe abrufen.</translation>
    </message>
    <message>
        <source>Retrieval</source>
        <translation>Retrieval</translation>
    </message>
    <message>
        <source>The demo: a name that only retrieved tokens hold, and the run without them</source>
        <translation>Die Demo: ein Name, den nur abgerufene Token enthalten, und der Lauf ohne sie</translation>
    </message>
    <message>
        <source>Carried tail</source>
        <translation>Übertrag</translation>
    </message>
    <message>
        <source>The demo: a word that only the carried tail holds, and the run without it</source>
        <translation>Die Demo: ein Wort, das nur der Übertrag enthält, und der Lauf ohne ihn</translation>
    </message>
    <message>
        <source>Attention sink</source>
        <translation>Attention-Sink</translation>
    </message>
    <message>
        <source>The default model on a novel, without attention sinks and with them</source>
        <translation>Das Standardmodell auf einem Roman, ohne Attention-Sinks und mit ihnen</translation>
    </message>
    <message>
        <source>Ask a novel</source>
        <translation>Einen Roman fragen</translation>
    </message>
    <message>
        <source>The default model finds a number that it read 15 segments ago</source>
        <translation>Das Standardmodell findet eine Zahl, die es 15 Segmente zuvor gelesen hat</translation>
    </message>
    <message>
        <source>Change the run of the story</source>
        <translation>Den Lauf der Geschichte ändern</translation>
    </message>
    <message>
        <source>Close; Help, Getting started shows it again</source>
        <translation>Schließen; Hilfe, Erste Schritte zeigt es wieder</translation>
    </message>
    <message>
        <source>Not now: %1.</source>
        <translation>Jetzt nicht: %1.</translation>
    </message>
    <message>
        <source>expanded from the anchor at %1.</source>
        <translation>erweitert vom Anker bei %1.</translation>
    </message>
    <message>
        <source>&lt;b&gt;%1&lt;/b&gt; retrieved %2 of its %3 tokens for segment %4, which is selected.</source>
        <translation>%2 seiner %3 Token hat &lt;b&gt;%1&lt;/b&gt; für Segment %4 abgerufen, das ausgewählt ist.</translation>
    </message>
    <message>
        <source>the shared search</source>
        <translation>die gemeinsame Suche</translation>
    </message>
    <message>
        <source>No head retrieved it.</source>
        <translation>Kein Kopf hat ihn abgerufen.</translation>
    </message>
    <message>
        <source>It begins at position %1, which is selected.</source>
        <translation>Er beginnt an Position %1, die ausgewählt ist.</translation>
    </message>
</context>
<context>
    <name>Startup</name>
    <message>
        <source>Fetching %1</source>
        <translation>Lädt %1 herunter</translation>
    </message>
    <message>
        <source>The default model and book can&apos;t be fetched: %1. The demo stays open; open any model and text.</source>
        <translation>Das Standardmodell und das Standardbuch lassen sich nicht herunterladen: %1. Die Demo bleibt offen; öffnen Sie ein beliebiges Modell und einen beliebigen Text.</translation>
    </message>
    <message>
        <source>Open a model by its path on the engine&apos;s machine: Model, Open model.</source>
        <translation>Öffnen Sie ein Modell mit seinem Pfad auf dem Rechner des Rechenkerns: „Modell“, „Modell öffnen“.</translation>
    </message>
    <message>
        <source>The demo is not installed; open a model and a text.</source>
        <translation>Die Demo ist nicht installiert; öffnen Sie ein Modell und einen Text.</translation>
    </message>
    <message>
        <source>%L1 tokens need more memory under this model than its machine has: %L2 are set to run</source>
        <translation>%L1 Token brauchen unter diesem Modell mehr Speicher, als sein Rechner hat: %L2 sind für den Lauf eingestellt</translation>
    </message>
</context>
<context>
    <name>StatusMeters</name>
    <message>
        <source>%1 s left</source>
        <translation>noch %1 s</translation>
    </message>
    <message>
        <source>%1 min left</source>
        <translation>noch %1 min</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>Fortschritt</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Peak memory of the run (of the weights, if there is no run), and memory of the engine&apos;s machine</source>
        <translation>Speicherspitze des Laufs (ohne Lauf: der Gewichte) und Speicher des Rechners, auf dem der Rechenkern läuft</translation>
    </message>
    <message>
        <source>%1 · paused</source>
        <translation>%1 · pausiert</translation>
    </message>
    <message>
        <source>dry run</source>
        <translation>Probelauf</translation>
    </message>
    <message>
        <source>step %L1/%L2 · %L3 tok/s</source>
        <translation>Schritt %L1/%L2 · %L3 Tok/s</translation>
    </message>
    <message>
        <source>step %L1/%L2 · %3</source>
        <translation>Schritt %L1/%L2 · %3</translation>
    </message>
    <message>
        <source>%1 of %2 GB</source>
        <translation>%1 von %2 GB</translation>
    </message>
    <message>
        <source>%1 segments</source>
        <translation>%1 Segmente</translation>
    </message>
    <message>
        <source>%1 · stopped</source>
        <translation>%1 · angehalten</translation>
    </message>
    <message>
        <source>%L1 tokens/s</source>
        <translation>%L1 Token/s</translation>
    </message>
    <message>
        <source>%L1 tok/s</source>
        <translation>%L1 Tok/s</translation>
    </message>
    <message>
        <source>%1 on GPU</source>
        <translation>%1 auf der GPU</translation>
    </message>
</context>
<context>
    <name>Stories</name>
    <message>
        <source>the demo is not installed</source>
        <translation>die Demo ist nicht installiert</translation>
    </message>
    <message>
        <source>the default model is not on this machine yet</source>
        <translation>das Standardmodell ist noch nicht auf diesem Rechner</translation>
    </message>
    <message>
        <source>Loading %1…</source>
        <translation>%1 wird geladen…</translation>
    </message>
    <message>
        <source>Running %1…</source>
        <translation>%1 läuft…</translation>
    </message>
    <message>
        <source>The run ended before there was anything to show.</source>
        <translation>Der Lauf endete, bevor es etwas zu zeigen gab.</translation>
    </message>
    <message>
        <source>This run predicts no token that is found only in this part of its memory.</source>
        <translation>Dieser Lauf sagt kein Token voraus, das nur in diesem Teil seines Gedächtnisses steht.</translation>
    </message>
    <message>
        <source>Remove it</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Drop the carried tail</source>
        <translation>Übertrag weglassen</translation>
    </message>
    <message>
        <source>%1 with a number in it</source>
        <translation>%1 mit einer Zahl darin</translation>
    </message>
    <message>
        <source>Asking…</source>
        <translation>Die Frage wird gestellt…</translation>
    </message>
    <message>
        <source>The question was not answered.</source>
        <translation>Die Frage wurde nicht beantwortet.</translation>
    </message>
    <message>
        <source>Remove the passage</source>
        <translation>Die Stelle entfernen</translation>
    </message>
</context>
<context>
    <name>SweepController</name>
    <message>
        <source>The sweep was stopped</source>
        <translation>Der Sweep wurde gestoppt</translation>
    </message>
    <message>
        <source>a sweep is running</source>
        <translation>ein Sweep läuft</translation>
    </message>
    <message>
        <source>sweep</source>
        <translation>Sweep</translation>
    </message>
    <message>
        <source>Stop it first, or wait for its end.</source>
        <translation>Stoppen Sie es zuerst, oder warten Sie, bis es endet.</translation>
    </message>
    <message>
        <source>Put the file back, or run the text again.</source>
        <translation>Legen Sie die Datei zurück, oder führen Sie den Text noch einmal aus.</translation>
    </message>
    <message>
        <source>a sweep is using the engine</source>
        <translation>ein Sweep benutzt die Engine</translation>
    </message>
    <message>
        <source>Sweep of segment %1: %2</source>
        <translation>Sweep von Segment %1: %2</translation>
    </message>
</context>
<context>
    <name>SweepPanel</name>
    <message>
        <source>Sweep</source>
        <translation>Sweep</translation>
    </message>
    <message>
        <source>Last tokens</source>
        <translation>Letzte Token</translation>
    </message>
    <message>
        <source>Loss too</source>
        <translation>Auch Verlust</translation>
    </message>
    <message>
        <source>Cost and progress of the sweep</source>
        <translation>Kosten und Fortschritt des Sweeps</translation>
    </message>
    <message>
        <source>Heads&apos; outputs</source>
        <translation>Ausgaben der Köpfe</translation>
    </message>
    <message>
        <source>Attention outputs</source>
        <translation>Ausgaben der Attention</translation>
    </message>
    <message>
        <source>Feed-forward outputs</source>
        <translation>Ausgaben des Feed-Forward</translation>
    </message>
    <message>
        <source>Residual stream</source>
        <translation>Residualstrom</translation>
    </message>
    <message>
        <source>Reading the sinks</source>
        <translation>Lesen der Sinks</translation>
    </message>
    <message>
        <source>Reading what was retrieved</source>
        <translation>Lesen des Abgerufenen</translation>
    </message>
    <message>
        <source>Reading the carry</source>
        <translation>Lesen des Übertrags</translation>
    </message>
    <message>
        <source>What each cell replaces</source>
        <translation>Was jede Zelle ersetzt</translation>
    </message>
    <message>
        <source>Zero</source>
        <translation>Null</translation>
    </message>
    <message>
        <source>Mean of the segment</source>
        <translation>Mittelwert des Segments</translation>
    </message>
    <message>
        <source>Pinned run</source>
        <translation>Angehefteter Lauf</translation>
    </message>
    <message>
        <source>What it is replaced by</source>
        <translation>Wodurch es ersetzt wird</translation>
    </message>
    <message>
        <source>Δ logit</source>
        <translation>Δ Logit</translation>
    </message>
    <message>
        <source>Δ ln p</source>
        <translation>Δ ln p</translation>
    </message>
    <message>
        <source>Δ loss</source>
        <translation>Δ Verlust</translation>
    </message>
    <message>
        <source>Value that the heatmap shows</source>
        <translation>Wert, den die Karte zeigt</translation>
    </message>
    <message>
        <source>So many tokens are replaced, up to the one that makes the prediction</source>
        <translation>So viele Token werden ersetzt, bis zu dem, das die Vorhersage macht</translation>
    </message>
    <message>
        <source>Each cell also gives the loss of the whole segment, which takes longer</source>
        <translation>Jede Zelle gibt auch den Verlust des ganzen Segments an, was länger dauert</translation>
    </message>
    <message>
        <source>replaced by</source>
        <translation>ersetzt durch</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Ausführen</translation>
    </message>
    <message>
        <source>Run the segment again once for each cell</source>
        <translation>Das Segment für jede Zelle noch einmal ausführen</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stopp</translation>
    </message>
    <message>
        <source>Stop the sweep; cells that are done stay</source>
        <translation>Den Sweep stoppen; fertige Zellen bleiben</translation>
    </message>
    <message>
        <source>As what-if</source>
        <translation>Als Was-wäre-wenn</translation>
    </message>
    <message>
        <source>Run the cell that was clicked last as a what-if, with the loss of every token</source>
        <translation>Die zuletzt angeklickte Zelle als Was-wäre-wenn ausführen, mit dem Verlust jedes Tokens</translation>
    </message>
    <message>
        <source>Select a token in the text: each cell gives its prediction</source>
        <translation>Wählen Sie ein Token im Text: Jede Zelle gibt seine Vorhersage an</translation>
    </message>
    <message>
        <source>all</source>
        <translation>alle</translation>
    </message>
    <message>
        <source>%L1 of %L2 cells</source>
        <translation>%L1 von %L2 Zellen</translation>
    </message>
    <message>
        <source>%L1 cells take as much work as %2 segments</source>
        <translation>%L1 Zellen machen so viel Arbeit wie %2 Segmente</translation>
    </message>
    <message>
        <source>%1: about %2</source>
        <translation>%1: etwa %2</translation>
    </message>
    <message>
        <source>head %1</source>
        <translation>Kopf %1</translation>
    </message>
    <message>
        <source>token %1, %2</source>
        <translation>Token %1, %2</translation>
    </message>
    <message>
        <source>%1 at %2. %3, one at a time</source>
        <translation>%1 bei %2. %3, jeweils einzeln</translation>
    </message>
    <message>
        <source>Running the segment as it was…</source>
        <translation>Das Segment läuft, wie es war …</translation>
    </message>
    <message>
        <source>Query head</source>
        <translation>Query-Kopf</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>layer %1, %2
Δ logit %3
Δ ln p %4</source>
        <translation>Schicht %1, %2
Δ Logit %3
Δ ln p %4</translation>
    </message>
    <message>
        <source>Δ loss of the segment %1 nats</source>
        <translation>Δ Verlust des Segments %1 Nats</translation>
    </message>
    <message>
        <source>Number of tokens that are replaced</source>
        <translation>Zahl der Token, die ersetzt werden</translation>
    </message>
</context>
<context>
    <name>TableCopy</name>
    <message>
        <source>&amp;Copy rows</source>
        <translation>Zeilen &amp;kopieren</translation>
    </message>
    <message>
        <source>Copy rows as CS&amp;V</source>
        <translation>Zeilen als CS&amp;V kopieren</translation>
    </message>
    <message>
        <source>Copy &amp;picture</source>
        <translation>&amp;Bild kopieren</translation>
    </message>
    <message>
        <source>&amp;Export the table…</source>
        <translation>Tabelle &amp;exportieren …</translation>
    </message>
    <message>
        <source>CSV (*.csv)</source>
        <translation>CSV (*.csv)</translation>
    </message>
</context>
<context>
    <name>TaskTree</name>
    <message>
        <source>answers</source>
        <translation>Antworten</translation>
    </message>
    <message>
        <source>choices</source>
        <translation>Auswahlmöglichkeiten</translation>
    </message>
    <message>
        <source>loss</source>
        <translation>Verlust</translation>
    </message>
    <message>
        <source>needs data</source>
        <translation>braucht Daten</translation>
    </message>
    <message>
        <source>Tasks</source>
        <translation>Aufgaben</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>Aufgabe</translation>
    </message>
    <message>
        <source>What it is</source>
        <translation>Was sie ist</translation>
    </message>
    <message>
        <source>Data: %1</source>
        <translation>Daten: %1</translation>
    </message>
</context>
<context>
    <name>TensorsPanel</name>
    <message>
        <source>Tensors</source>
        <translation>Tensoren</translation>
    </message>
    <message>
        <source>residual stream before the layer</source>
        <translation>Residualstrom vor der Schicht</translation>
    </message>
    <message>
        <source>queries, before RoPE</source>
        <translation>Queries, vor RoPE</translation>
    </message>
    <message>
        <source>keys, before RoPE</source>
        <translation>Keys, vor RoPE</translation>
    </message>
    <message>
        <source>values</source>
        <translation>Values</translation>
    </message>
    <message>
        <source>heads&apos; outputs</source>
        <translation>Ausgaben der Köpfe</translation>
    </message>
    <message>
        <source>what attention adds</source>
        <translation>was die Attention addiert</translation>
    </message>
    <message>
        <source>residual stream after attention</source>
        <translation>Residualstrom nach der Attention</translation>
    </message>
    <message>
        <source>neurons</source>
        <translation>Neuronen</translation>
    </message>
    <message>
        <source>what the feed-forward adds</source>
        <translation>was das Feed-Forward addiert</translation>
    </message>
    <message>
        <source>residual stream after the layer</source>
        <translation>Residualstrom nach der Schicht</translation>
    </message>
    <message>
        <source>Point of the forward pass</source>
        <translation>Punkt des Vorwärtslaufs</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>Columns in their order</source>
        <translation>Spalten in ihrer Reihenfolge</translation>
    </message>
    <message>
        <source>Largest at the selected token first</source>
        <translation>Größte beim gewählten Token zuerst</translation>
    </message>
    <message>
        <source>Order of the columns</source>
        <translation>Reihenfolge der Spalten</translation>
    </message>
    <message>
        <source>Size and range of the values</source>
        <translation>Größe und Bereich der Werte</translation>
    </message>
    <message>
        <source>Column</source>
        <translation>Spalte</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>Share of the values</source>
        <translation>Anteil der Werte</translation>
    </message>
    <message>
        <source>Copy as Python</source>
        <translation>Als Python kopieren</translation>
    </message>
    <message>
        <source>Copy the code that gets these values as an array</source>
        <translation>Den Code kopieren, der diese Werte als Feld holt</translation>
    </message>
    <message>
        <source>These values are too many to draw: Copy as Python gets them</source>
        <translation>Diese Werte sind zu viele zum Zeichnen: Als Python kopieren holt sie</translation>
    </message>
    <message>
        <source>Column, by its value at the selected token</source>
        <translation>Spalte, nach ihrem Wert beim gewählten Token</translation>
    </message>
    <message>
        <source>%1 of layer %2, segment %3</source>
        <translation>%1 von Schicht %2, Segment %3</translation>
    </message>
    <message>
        <source>%L1 tokens × %L2 values: mean %3, standard deviation %4, from %5 to %6; norm at token %7: %8</source>
        <translation>%L1 Token × %L2 Werte: Mittelwert %3, Standardabweichung %4, von %5 bis %6; Norm bei Token %7: %8</translation>
    </message>
    <message>
        <source>token %1, %2
column %3
value %4</source>
        <translation>Token %1, %2
Spalte %3
Wert %4</translation>
    </message>
</context>
<context>
    <name>TextPanel</name>
    <message>
        <source> and %1 more</source>
        <translation> und %1 weitere</translation>
    </message>
    <message>
        <source>retrieved for segment %1 by layer.head %2</source>
        <translation>für Segment %1 abgerufen von Schicht.Kopf %2</translation>
    </message>
    <message>
        <source>position %1, segment %2, its token %3</source>
        <translation>Position %1, Segment %2, darin Token %3</translation>
    </message>
    <message>
        <source>attention sink: every later segment reads it</source>
        <translation>Attention-Sink: Jedes spätere Segment liest ihn</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>Colour: hits</source>
        <translation>Farbe: Treffer</translation>
    </message>
    <message>
        <source>Colour: loss</source>
        <translation>Farbe: Verlust</translation>
    </message>
    <message>
        <source>Colour: none</source>
        <translation>Farbe: keine</translation>
    </message>
    <message>
        <source>What the background of a token shows</source>
        <translation>Was der Hintergrund eines Tokens zeigt</translation>
    </message>
    <message>
        <source>All heads</source>
        <translation>Alle Köpfe</translation>
    </message>
    <message>
        <source>Selected head</source>
        <translation>Gewählter Kopf</translation>
    </message>
    <message>
        <source>Search (Ctrl+F)</source>
        <translation>Suchen (Strg+F)</translation>
    </message>
    <message>
        <source>Previous match</source>
        <translation>Voriger Fund</translation>
    </message>
    <message>
        <source>Next match</source>
        <translation>Nächster Fund</translation>
    </message>
    <message>
        <source>not found</source>
        <translation>nicht gefunden</translation>
    </message>
    <message>
        <source>searching…</source>
        <translation>sucht …</translation>
    </message>
    <message>
        <source>Colour: Δ loss against B</source>
        <translation>Farbe: Δ Verlust gegen B</translation>
    </message>
    <message>
        <source>Colour: Δ loss of the what-if</source>
        <translation>Farbe: Δ Verlust des Versuchs</translation>
    </message>
    <message>
        <source>Blue: this run predicts the token better; orange: the pinned run B does. Full colour: 2 nats</source>
        <translation>Blau: Dieser Lauf sagt das Token besser voraus; orange: der angeheftete Lauf B. Volle Farbe: 2 nat</translation>
    </message>
    <message>
        <source>Blue: the what-if predicts the token better; orange: worse. Full colour: 2 nats</source>
        <translation>Blau: Der Versuch sagt das Token besser voraus; orange: schlechter. Volle Farbe: 2 nat</translation>
    </message>
    <message>
        <source>By token</source>
        <translation>Nach Token</translation>
    </message>
    <message>
        <source>By word</source>
        <translation>Nach Wort</translation>
    </message>
    <message>
        <source>By sentence</source>
        <translation>Nach Satz</translation>
    </message>
    <message>
        <source>By line</source>
        <translation>Nach Zeile</translation>
    </message>
    <message>
        <source>By segment</source>
        <translation>Nach Segment</translation>
    </message>
    <message>
        <source>Unit of the colouring: its mean loss, or its strongest hit</source>
        <translation>Einheit der Färbung: ihr mittlerer Verlust oder ihr stärkster Treffer</translation>
    </message>
    <message>
        <source>Search the text</source>
        <translation>Den Text durchsuchen</translation>
    </message>
    <message>
        <source>%L1 tokens</source>
        <translation>%L1 Token</translation>
    </message>
    <message>
        <source>Copy the text of %1</source>
        <translation>Den Text von %1 kopieren</translation>
    </message>
    <message>
        <source>Colour: sources by attention</source>
        <translation>Farbe: Quellen nach Attention</translation>
    </message>
    <message>
        <source>Colour: sources by logit</source>
        <translation>Farbe: Quellen nach Logit</translation>
    </message>
    <message>
        <source>Where the query that predicts the selected token attends. A square-root scale</source>
        <translation>Worauf die Attention der Query liegt, die das gewählte Token vorhersagt. Die Skala ist eine Quadratwurzel</translation>
    </message>
    <message>
        <source>Strongest head</source>
        <translation>Stärkster Kopf</translation>
    </message>
    <message>
        <source>Heads whose hits are marked: all (by number of heads) or one (by kind: anchor, expanded, padding). Heads whose attention is shown: the mean of all, the selected one, or the largest of any</source>
        <translation>Köpfe, deren Treffer markiert sind: alle (nach Zahl der Köpfe) oder einer (nach Art: Anker, erweitert, Auffüllung). Köpfe, deren Attention gezeigt wird: das Mittel aller, der gewählte oder der größte Wert irgendeines Kopfes</translation>
    </message>
    <message>
        <source>Sources of %1 by attention</source>
        <translation>Quellen von %1 nach Attention</translation>
    </message>
    <message>
        <source>Ablate %1 in all heads of segment %2</source>
        <translation>%1 in allen Köpfen von Segment %2 ablatieren</translation>
    </message>
    <message>
        <source>without %1 in any head</source>
        <translation>ohne %1 in allen Köpfen</translation>
    </message>
    <message>
        <source>Colour of the text</source>
        <translation>Farbe des Textes</translation>
    </message>
    <message>
        <source>Heads that are shown</source>
        <translation>Köpfe, die gezeigt werden</translation>
    </message>
    <message>
        <source>Unit that has one colour</source>
        <translation>Einheit, die eine Farbe hat</translation>
    </message>
    <message>
        <source>token %1</source>
        <translation>Token %1</translation>
    </message>
    <message>
        <source>No head retrieved %1 for segment %2</source>
        <translation>Kein Kopf hat %1 für Segment %2 abgerufen</translation>
    </message>
    <message>
        <source>Exclude %1 from all heads</source>
        <translation>%1 für alle Köpfe ausschließen</translation>
    </message>
    <message>
        <source>Add %1 to the selected head</source>
        <translation>%1 dem gewählten Kopf hinzufügen</translation>
    </message>
    <message>
        <source>Add %1 to layer %2, head %3</source>
        <translation>%1 zu Schicht %2, Kopf %3 hinzufügen</translation>
    </message>
    <message>
        <source>Select a head first</source>
        <translation>Wählen Sie zuerst einen Kopf</translation>
    </message>
    <message>
        <source>Heads retrieve only positions before the segment</source>
        <translation>Köpfe rufen nur Positionen vor dem Segment ab</translation>
    </message>
    <message>
        <source>Every segment reads the attention sinks</source>
        <translation>Jedes Segment liest die Attention-Sinks</translation>
    </message>
    <message>
        <source>RoPE position: %1</source>
        <translation>RoPE-Position: %1</translation>
    </message>
    <message>
        <source>Δ loss %1 nats against the pinned run B</source>
        <translation>Δ Verlust %1 nat gegen den angehefteten Lauf B</translation>
    </message>
    <message>
        <source>Δ loss %1 nats in the what-if “%2”</source>
        <translation>Δ Verlust %1 nat im Versuch „%2“</translation>
    </message>
    <message>
        <source>RoPE position where nothing is retrieved: %1 for local heads (prefix %2), %3 for long-range heads (prefix %4)</source>
        <translation>RoPE-Position, wo nichts abgerufen wird: %1 für lokale Köpfe (Präfix %2), %3 für weitreichende Köpfe (Präfix %4)</translation>
    </message>
    <message>
        <source>log-probability %1 (probability %2)</source>
        <translation>Log-Wahrscheinlichkeit %1 (Wahrscheinlichkeit %2)</translation>
    </message>
    <message>
        <source>Why %1?</source>
        <translation>Warum %1?</translation>
    </message>
    <message>
        <source>Contribution of each token to the logit of the selected one, through all heads (direct logit attribution). Blue adds, orange subtracts</source>
        <translation>Beitrag jedes Tokens zum Logit des gewählten Tokens, über alle Köpfe (Direct Logit Attribution). Blau erhöht, orange verringert</translation>
    </message>
</context>
<context>
    <name>TextReader</name>
    <message>
        <source>the text is empty</source>
        <translation>der Text ist leer</translation>
    </message>
    <message>
        <source>Paste or choose another one.</source>
        <translation>Fügen Sie einen anderen ein, oder wählen Sie einen.</translation>
    </message>
</context>
<context>
    <name>TextSources</name>
    <message>
        <source>What the colours mean</source>
        <translation>Was die Farben bedeuten</translation>
    </message>
    <message>
        <source>Preview: %1</source>
        <translation>Vorschau: %1</translation>
    </message>
    <message>
        <source>Select a token to colour the sources of its prediction. Point at a token for a preview.</source>
        <translation>Wählen Sie ein Token, um die Quellen seiner Vorhersage zu färben. Zeigen Sie auf ein Token, um eine Vorschau zu sehen.</translation>
    </message>
    <message>
        <source>Where the query that predicts %1 attends (%2). Full colour: %3 %; attention sinks may be above</source>
        <translation>Worauf die Attention der Query liegt, die %1 vorhersagt (%2). Volle Farbe: %3 %; Attention-Sinks können darüber liegen</translation>
    </message>
    <message>
        <source>adds %1 to the logit difference</source>
        <translation>trägt %1 zur Differenz der Logits bei</translation>
    </message>
    <message>
        <source>adds %1 to the logit of the selected token</source>
        <translation>trägt %1 zum Logit des gewählten Tokens bei</translation>
    </message>
    <message>
        <source>gets %1 % of the attention</source>
        <translation>bekommt %1 % der Attention</translation>
    </message>
    <message>
        <source>Blue tokens add to the %1, orange ones subtract from it. Full colour: %2</source>
        <translation>Blaue Token erhöhen, orange verringern: %1. Volle Farbe: %2</translation>
    </message>
</context>
<context>
    <name>TimePanel</name>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>projections</source>
        <translation>Projektionen</translation>
    </message>
    <message>
        <source>local attention</source>
        <translation>lokale Attention</translation>
    </message>
    <message>
        <source>long attention</source>
        <translation>weitreichende Attention</translation>
    </message>
    <message>
        <source>retrieval</source>
        <translation>Retrieval</translation>
    </message>
    <message>
        <source>feed-forward</source>
        <translation>Feed-forward</translation>
    </message>
    <message>
        <source>logits</source>
        <translation>Logits</translation>
    </message>
    <message>
        <source>everything else</source>
        <translation>alles andere</translation>
    </message>
    <message>
        <source>Tokens read</source>
        <translation>Gelesene Token</translation>
    </message>
    <message>
        <source>Time (ms per token)</source>
        <translation>Zeit (ms je Token)</translation>
    </message>
    <message>
        <source>This run was recorded by a version that did not measure parts of the time</source>
        <translation>Dieser Lauf wurde von einer Version aufgezeichnet, die keine Teile der Zeit maß</translation>
    </message>
    <message>
        <source>Time breakdown</source>
        <translation>Zeit nach Teil</translation>
    </message>
</context>
<context>
    <name>TokenView</name>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>The text by tokens. Left and right select a token; Page Up and Page Down scroll.</source>
        <translation>Der Text nach Token. Links und rechts wählen ein Token; Bild auf und ab rollen.</translation>
    </message>
    <message>
        <source>seg %1</source>
        <translation>Seg %1</translation>
    </message>
    <message>
        <source>Open a model and a text, then run.</source>
        <translation>Öffnen Sie ein Modell und einen Text, und drücken Sie dann „Lauf“.</translation>
    </message>
</context>
<context>
    <name>TokensPanel</name>
    <message>
        <source>Tokens by loss</source>
        <translation>Token nach Verlust</translation>
    </message>
    <message>
        <source>Highest loss</source>
        <translation>Höchster Verlust</translation>
    </message>
    <message>
        <source>Largest rise of loss</source>
        <translation>Größter Anstieg</translation>
    </message>
    <message>
        <source>Largest fall of loss</source>
        <translation>Größter Rückgang</translation>
    </message>
    <message>
        <source>Tokens listed</source>
        <translation>Gezeigte Token</translation>
    </message>
    <message>
        <source>Rise and fall are against the pinned run</source>
        <translation>Anstieg und Rückgang gegenüber dem angehefteten Lauf</translation>
    </message>
    <message>
        <source>Number of tokens listed</source>
        <translation>Anzahl der gezeigten Token</translation>
    </message>
    <message>
        <source>Filter tokens by text</source>
        <translation>Token nach Text filtern</translation>
    </message>
    <message>
        <source>Export the tokens</source>
        <translation>Token exportieren</translation>
    </message>
    <message>
        <source>Pin a run to compare its losses</source>
        <translation>Ein Lauf muss angeheftet sein, um Verluste zu vergleichen</translation>
    </message>
    <message>
        <source>No token here has a loss</source>
        <translation>Kein Token hier hat einen Verlust</translation>
    </message>
    <message>
        <source>%1 of %2 tokens</source>
        <translation>%1 von %2 Token</translation>
    </message>
</context>
<context>
    <name>TokensTable</name>
    <message>
        <source>Loss</source>
        <translation>Verlust</translation>
    </message>
    <message>
        <source>−log of the token&apos;s probability, in nats</source>
        <translation>−log der Wahrscheinlichkeit des Tokens, in Nats</translation>
    </message>
    <message>
        <source>Probability</source>
        <translation>Wahrscheinlichkeit</translation>
    </message>
    <message>
        <source>Δ loss</source>
        <translation>Δ Verlust</translation>
    </message>
    <message>
        <source>Loss minus the loss in the pinned run</source>
        <translation>Verlust minus Verlust im angehefteten Lauf</translation>
    </message>
    <message>
        <source>Segment</source>
        <translation>Segment</translation>
    </message>
    <message>
        <source>Position</source>
        <translation>Position</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>Text around the token</source>
        <translation>Text um das Token</translation>
    </message>
</context>
<context>
    <name>TrainController</name>
    <message>
        <source>Opened the training run %1</source>
        <translation>Trainingslauf %1 geöffnet</translation>
    </message>
    <message>
        <source>training</source>
        <translation>Training</translation>
    </message>
    <message>
        <source>Fine-tuning %1 for %L2 steps into %3</source>
        <translation>Fine-Tuning von %1 mit %L2 Schritten, nach %3</translation>
    </message>
    <message>
        <source>a fine-tuning is using the engine</source>
        <translation>ein Fine-Tuning benutzt den Rechenkern</translation>
    </message>
    <message>
        <source>a dry run is using the engine</source>
        <translation>ein Probelauf benutzt den Rechenkern</translation>
    </message>
    <message>
        <source>Continuing %1 after step %L2</source>
        <translation>Setzt %1 nach Schritt %L2 fort</translation>
    </message>
    <message>
        <source>current step: %1 %</source>
        <translation>Schritt läuft: %1 %</translation>
    </message>
    <message>
        <source>Training, step %L1: %2</source>
        <translation>Training, Schritt %L1: %2</translation>
    </message>
    <message>
        <source>dry run</source>
        <translation>Probelauf</translation>
    </message>
    <message>
        <source>was stopped</source>
        <translation>wurde angehalten</translation>
    </message>
    <message>
        <source>Training stopped after step %L1; %2</source>
        <translation>Training nach Schritt %L1 angehalten; %2</translation>
    </message>
    <message>
        <source>Training finished with step %L1; the window now runs the trained model, saved in %2</source>
        <translation>Training mit Schritt %L1 fertig; das Fenster führt nun das trainierte Modell aus, gesichert in %2</translation>
    </message>
    <message>
        <source>no checkpoint to continue from was saved</source>
        <translation>es wurde kein Checkpoint zum Fortsetzen gesichert</translation>
    </message>
    <message>
        <source>of step %1, which are not kept</source>
        <translation>von Schritt %1, die nicht aufgehoben sind</translation>
    </message>
    <message>
        <source>%1, step %L2: its last sample</source>
        <translation>%1, Schritt %L2: sein letztes Sample</translation>
    </message>
    <message>
        <source>holds a training run</source>
        <translation>enthält einen Trainingslauf</translation>
    </message>
    <message>
        <source>Choose a new folder; or resume that run, or remove it from the list, in Training runs.</source>
        <translation>Wählen Sie einen neuen Ordner; oder setzen Sie jenen Lauf unter „Trainingsläufe“ fort, oder entfernen Sie ihn dort aus der Liste.</translation>
    </message>
    <message>
        <source>Free some space and press Retry. Stop ends the training: the steps after the newest checkpoint are then lost.</source>
        <translation>Schaffen Sie Platz und klicken Sie auf „Erneut versuchen“. „Beenden“ beendet das Training: Die Schritte nach dem neuesten Checkpoint gehen dann verloren.</translation>
    </message>
</context>
<context>
    <name>TrainingChart</name>
    <message>
        <source>step %L1 · %L2 tokens · %3 min</source>
        <translation>Schritt %L1 · %L2 Token · %3 min</translation>
    </message>
</context>
<context>
    <name>TrainingModel</name>
    <message>
        <source>preparing</source>
        <translation>bereitet vor</translation>
    </message>
    <message>
        <source>running</source>
        <translation>läuft</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>pausiert</translation>
    </message>
    <message>
        <source>stopping</source>
        <translation>hält an</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>angehalten</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>fertig</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>gescheitert</translation>
    </message>
    <message>
        <source>following</source>
        <translation>folgt</translation>
    </message>
</context>
<context>
    <name>TrainingPanel</name>
    <message>
        <source>Training</source>
        <translation>Training</translation>
    </message>
    <message>
        <source>learning rate</source>
        <translation>Lernrate</translation>
    </message>
    <message>
        <source>before clipping</source>
        <translation>vor dem Kappen</translation>
    </message>
    <message>
        <source>tokens/s</source>
        <translation>Token/s</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Stop and save</source>
        <translation>Anhalten und sichern</translation>
    </message>
    <message>
        <source>Newest step</source>
        <translation>Neuester Schritt</translation>
    </message>
    <message>
        <source>Show the newest step again</source>
        <translation>Wieder den neuesten Schritt zeigen</translation>
    </message>
    <message>
        <source>Smoothing</source>
        <translation>Glättung</translation>
    </message>
    <message>
        <source>Weight of the past in the smoothed loss; 0: no smoothing</source>
        <translation>Gewicht der Vergangenheit im geglätteten Verlust; 0: keine Glättung</translation>
    </message>
    <message>
        <source>by step</source>
        <translation>nach Schritt</translation>
    </message>
    <message>
        <source>by tokens</source>
        <translation>nach Token</translation>
    </message>
    <message>
        <source>by time</source>
        <translation>nach Zeit</translation>
    </message>
    <message>
        <source>Horizontal axis</source>
        <translation>Waagerechte Achse</translation>
    </message>
    <message>
        <source>No training run yet: press Fine-tune, or open a run&apos;s folder</source>
        <translation>Noch kein Trainingslauf: Drücken Sie „Fine-Tuning“, oder öffnen Sie den Ordner eines Laufs</translation>
    </message>
    <message>
        <source>Training loss</source>
        <translation>Trainingsverlust</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Verlust</translation>
    </message>
    <message>
        <source>NLL (nats)</source>
        <translation>NLL (nat)</translation>
    </message>
    <message>
        <source>Loss by segment</source>
        <translation>Verlust nach Segment</translation>
    </message>
    <message>
        <source>Segments</source>
        <translation>Segmente</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>Lernrate</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>Rate</translation>
    </message>
    <message>
        <source>Gradient norm</source>
        <translation>Gradientennorm</translation>
    </message>
    <message>
        <source>Gradient</source>
        <translation>Gradient</translation>
    </message>
    <message>
        <source>‖∇L‖</source>
        <translation>‖∇L‖</translation>
    </message>
    <message>
        <source>Throughput</source>
        <translation>Durchsatz</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>Tempo</translation>
    </message>
    <message>
        <source>Tokens per second</source>
        <translation>Token je Sekunde</translation>
    </message>
    <message>
        <source>Memory while training</source>
        <translation>Speicher beim Training</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Memory (MB)</source>
        <translation>Speicher (MB)</translation>
    </message>
    <message>
        <source>Show or hide: %1</source>
        <translation>Zeigen oder verbergen: %1</translation>
    </message>
    <message>
        <source>step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>smoothed</source>
        <translation>geglättet</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>gradients</source>
        <translation>Gradienten</translation>
    </message>
    <message>
        <source>optimizer</source>
        <translation>Optimierer</translation>
    </message>
    <message>
        <source>carry</source>
        <translation>Übertrag</translation>
    </message>
    <message>
        <source>pool</source>
        <translation>Pool</translation>
    </message>
    <message>
        <source>peak</source>
        <translation>Spitze</translation>
    </message>
    <message>
        <source>held out</source>
        <translation>zurückgehalten</translation>
    </message>
    <message>
        <source>alert</source>
        <translation>Alarm</translation>
    </message>
    <message>
        <source>segment %1</source>
        <translation>Segment %1</translation>
    </message>
    <message>
        <source>held out, %L1</source>
        <translation>zurückgehalten, %L1</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>step %L1 of %L2</source>
        <translation>Schritt %L1 von %L2</translation>
    </message>
    <message>
        <source>loss %1</source>
        <translation>Verlust %1</translation>
    </message>
    <message>
        <source>Pause after the current layer, or resume</source>
        <translation>Nach der laufenden Schicht pausieren, oder fortsetzen</translation>
    </message>
    <message>
        <source>Stop and save a checkpoint, from which the run can be resumed</source>
        <translation>Anhalten und einen Checkpoint sichern, von dem aus sich der Lauf fortsetzen lässt</translation>
    </message>
    <message>
        <source>Loss of the answers of recall samples</source>
        <translation>Verlust der Antworten der Recall-Samples</translation>
    </message>
    <message>
        <source>Recall</source>
        <translation>Recall</translation>
    </message>
    <message>
        <source>State of the training</source>
        <translation>Zustand des Trainings</translation>
    </message>
    <message>
        <source>autograd graph</source>
        <translation>Autograd-Graph</translation>
    </message>
    <message>
        <source>attention-visible KV</source>
        <translation>für Attention sichtbare KV</translation>
    </message>
    <message>
        <source>Why the training waits</source>
        <translation>Warum das Training wartet</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>Erneut versuchen</translation>
    </message>
    <message>
        <source>Try to write again, and continue</source>
        <translation>Noch einmal zu schreiben versuchen und fortfahren</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>End the training; the steps after the newest checkpoint are lost</source>
        <translation>Das Training beenden; die Schritte nach dem neuesten Checkpoint gehen verloren</translation>
    </message>
    <message>
        <source>No step is done yet: the plot begins with the first one</source>
        <translation>Noch ist kein Schritt fertig: Das Diagramm beginnt mit dem ersten</translation>
    </message>
    <message>
        <source>This training ended before its first step was done</source>
        <translation>Dieses Training endete, bevor sein erster Schritt fertig war</translation>
    </message>
    <message>
        <source>no segments were recorded in this step</source>
        <translation>in diesem Schritt wurden keine Segmente aufgezeichnet</translation>
    </message>
</context>
<context>
    <name>TrainingRunsPanel</name>
    <message>
        <source>Training runs</source>
        <translation>Trainingsläufe</translation>
    </message>
    <message>
        <source>Fine-tune…</source>
        <translation>Fine-Tuning …</translation>
    </message>
    <message>
        <source>Start a new run</source>
        <translation>Einen neuen Lauf beginnen</translation>
    </message>
    <message>
        <source>Open folder…</source>
        <translation>Ordner öffnen …</translation>
    </message>
    <message>
        <source>Open a finished run, or follow one that another process writes</source>
        <translation>Einen fertigen Lauf öffnen, oder einem folgen, den ein anderer Prozess schreibt</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Remove the selected run from the list; its folder is kept</source>
        <translation>Den gewählten Lauf aus der Liste entfernen; sein Ordner bleibt</translation>
    </message>
    <message>
        <source>Loss of the ticked runs, smoothed</source>
        <translation>Verlust der angehakten Läufe, geglättet</translation>
    </message>
    <message>
        <source>NLL (nats)</source>
        <translation>NLL (nat)</translation>
    </message>
    <message>
        <source>Tick runs in the list to compare them</source>
        <translation>Läufe in der Liste anhaken, um sie zu vergleichen</translation>
    </message>
    <message>
        <source>Smoothing</source>
        <translation>Glättung</translation>
    </message>
    <message>
        <source>by step</source>
        <translation>nach Schritt</translation>
    </message>
    <message>
        <source>by tokens</source>
        <translation>nach Token</translation>
    </message>
    <message>
        <source>by time</source>
        <translation>nach Zeit</translation>
    </message>
    <message>
        <source>Horizontal axis</source>
        <translation>Waagerechte Achse</translation>
    </message>
    <message>
        <source>Open the folder of a training run</source>
        <translation>Ordner eines Trainingslaufs öffnen</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Resume the selected run from its newest checkpoint</source>
        <translation>Den gewählten Lauf von seinem neuesten Checkpoint aus fortsetzen</translation>
    </message>
</context>
<context>
    <name>TrainingRunsTable</name>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Verlust</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
</context>
<context>
    <name>WhatIf</name>
    <message>
        <source>%1%2 more</source>
        <translation>%1%2 weitere</translation>
    </message>
    <message>
        <source>by default</source>
        <translation>Standard</translation>
    </message>
    <message>
        <source>unset</source>
        <translation>nicht gesetzt</translation>
    </message>
    <message>
        <source>another grouping</source>
        <translation>andere Gruppierung</translation>
    </message>
    <message>
        <source>no carry</source>
        <translation>ohne Übertrag</translation>
    </message>
    <message>
        <source>no prefix</source>
        <translation>ohne Präfix</translation>
    </message>
    <message>
        <source>random prefix (seed %1)</source>
        <translation>zufälliges Präfix (Seed %1)</translation>
    </message>
    <message>
        <source>most recent prefix</source>
        <translation>jüngstes Präfix</translation>
    </message>
    <message>
        <source>constant prefix</source>
        <translation>konstantes Präfix</translation>
    </message>
    <message>
        <source>prefix of sinks and recent tokens</source>
        <translation>Präfix aus Sinks und jüngsten Token</translation>
    </message>
    <message>
        <source>oracle prefix</source>
        <translation>Präfix des Orakels</translation>
    </message>
    <message>
        <source>nothing changed</source>
        <translation>nichts geändert</translation>
    </message>
    <message>
        <source>%1 and %2 more heads</source>
        <translation>%1 und %2 weitere Köpfe</translation>
    </message>
    <message>
        <source>carry patched</source>
        <translation>Übertrag eingesetzt</translation>
    </message>
    <message>
        <source>output of %1 patched</source>
        <translation>Ausgabe von %1 eingesetzt</translation>
    </message>
    <message>
        <source>exclude %1–%2</source>
        <translation>%1–%2 ausgeschlossen</translation>
    </message>
    <message>
        <source>no sinks</source>
        <translation>ohne Sinks</translation>
    </message>
    <message>
        <source>output of %1 zeroed</source>
        <translation>Ausgabe von %1 auf null</translation>
    </message>
    <message>
        <source>%1 without the sinks</source>
        <translation>%1 ohne die Sinks</translation>
    </message>
    <message>
        <source>%1 without what it retrieved</source>
        <translation>%1 ohne das Abgerufene</translation>
    </message>
    <message>
        <source>%1 without the carry</source>
        <translation>%1 ohne den Übertrag</translation>
    </message>
</context>
<context>
    <name>WhatIfController</name>
    <message>
        <source>The what-if was cancelled</source>
        <translation>Der Versuch wurde abgebrochen</translation>
    </message>
    <message>
        <source>a what-if is running</source>
        <translation>ein Versuch läuft</translation>
    </message>
    <message>
        <source>what-if</source>
        <translation>Versuch</translation>
    </message>
    <message>
        <source>no segment is selected</source>
        <translation>kein Segment ist gewählt</translation>
    </message>
    <message>
        <source>Select one that has been run.</source>
        <translation>Wählen Sie eines, das ausgeführt wurde.</translation>
    </message>
    <message>
        <source>Stop it first, or wait for its end.</source>
        <translation>Erst anhalten oder das Ende abwarten.</translation>
    </message>
    <message>
        <source>a what-if is using the engine</source>
        <translation>ein Versuch benutzt den Rechenkern</translation>
    </message>
    <message>
        <source>patch</source>
        <translation>Einsetzen</translation>
    </message>
    <message>
        <source>Pin a run whose segments correspond to this one&apos;s.</source>
        <translation>Heften Sie einen Lauf an, dessen Segmente denen dieses Laufs entsprechen.</translation>
    </message>
    <message>
        <source>What-if “%1”, segment %2: Δ mean loss %3 nats</source>
        <translation>Versuch „%1“, Segment %2: Δ mittlerer Verlust %3 nat</translation>
    </message>
    <message>
        <source>Hits of segment %2 ablated, one at a time: %1</source>
        <translation>Treffer von Segment %2 einzeln ablatiert: %1</translation>
    </message>
    <message>
        <source>Put the file back, or run the text again.</source>
        <translation>Legen Sie die Datei zurück, oder führen Sie den Text noch einmal aus.</translation>
    </message>
</context>
<context>
    <name>WhatIfDelta</name>
    <message>
        <source>Result of the what-if</source>
        <translation>Ergebnis des Versuchs</translation>
    </message>
    <message>
        <source>Position (token)</source>
        <translation>Position (Token)</translation>
    </message>
    <message>
        <source>Δ loss (nats)</source>
        <translation>Δ Verlust (nat)</translation>
    </message>
    <message>
        <source>No what-if yet: change something above and run it</source>
        <translation>Noch kein Versuch: Ändern Sie oben etwas, und führen Sie ihn aus</translation>
    </message>
    <message>
        <source>Δ loss</source>
        <translation>Δ Verlust</translation>
    </message>
    <message>
        <source>mean of %1 tokens</source>
        <translation>Mittel über %1 Token</translation>
    </message>
    <message>
        <source>original</source>
        <translation>Original</translation>
    </message>
    <message>
        <source>Hits that changed</source>
        <translation>Geänderte Treffer</translation>
    </message>
    <message>
        <source>%1: segment %2</source>
        <translation>%1: Segment %2</translation>
    </message>
    <message>
        <source>position %1
original: %2 nats
what if: %3 nats
Δ %4</source>
        <translation>Position %1
Original: %2 nat
Versuch: %3 nat
Δ %4</translation>
    </message>
    <message>
        <source>patched from %1</source>
        <translation>eingesetzt aus %1</translation>
    </message>
    <message>
        <source> · of %1</source>
        <translation> · von %1</translation>
    </message>
    <message>
        <source>Hits changed: %1</source>
        <translation>Geänderte Treffer: %1</translation>
    </message>
    <message>
        <source>&lt;b&gt;%1&lt;/b&gt; · segment %2: %3&lt;br&gt;Δ loss &lt;b&gt;%4&lt;/b&gt; nats%5, %6 targets%7</source>
        <translation>&lt;b&gt;%1&lt;/b&gt; · Segment %2: %3&lt;br&gt;Δ Verlust &lt;b&gt;%4&lt;/b&gt; Nat%5, %6 Ziele%7</translation>
    </message>
    <message>
        <source> (95 %: %1 to %2)</source>
        <translation> (95 %: %1 bis %2)</translation>
    </message>
</context>
<context>
    <name>WhatIfList</name>
    <message>
        <source>What-ifs</source>
        <translation>Versuche</translation>
    </message>
    <message>
        <source>Edit again</source>
        <translation>Erneut bearbeiten</translation>
    </message>
    <message>
        <source>Fill the form with the changes of this what-if</source>
        <translation>Das Formular mit den Änderungen dieses Versuchs füllen</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Remove this what-if from the list</source>
        <translation>Diesen Versuch aus der Liste entfernen</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>Exportieren …</translation>
    </message>
    <message>
        <source>Export the list as CSV (one line per token) or JSON (everything)</source>
        <translation>Die Liste als CSV (eine Zeile je Token) oder JSON (alles) exportieren</translation>
    </message>
    <message>
        <source>Export the what-ifs</source>
        <translation>Versuche exportieren</translation>
    </message>
    <message>
        <source>JSON (*.json);;CSV (*.csv)</source>
        <translation>JSON (*.json);;CSV (*.csv)</translation>
    </message>
    <message>
        <source>It belongs to another run: open that run first</source>
        <translation>Er gehört zu einem anderen Lauf: Öffnen Sie zuerst diesen</translation>
    </message>
    <message>
        <source>delete %1</source>
        <translation>%1 löschen</translation>
    </message>
</context>
<context>
    <name>WhatIfPanel</name>
    <message>
        <source>What-if</source>
        <translation>Was-wäre-wenn</translation>
    </message>
    <message>
        <source>Segment to run again</source>
        <translation>Segment, das noch einmal ausgeführt wird</translation>
    </message>
    <message>
        <source>Name of the what-if</source>
        <translation>Name des Versuchs</translation>
    </message>
    <message>
        <source>Cost of the what-if</source>
        <translation>Kosten des Versuchs</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Ausführen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>Leeren</translation>
    </message>
    <message>
        <source>Discard the changes and show the recorded segment</source>
        <translation>Die Änderungen verwerfen und das aufgezeichnete Segment zeigen</translation>
    </message>
    <message>
        <source>Progress of the what-if</source>
        <translation>Fortschritt des Versuchs</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>Ergebnisse</translation>
    </message>
    <message>
        <source>Δ loss</source>
        <translation>Δ Verlust</translation>
    </message>
    <message>
        <source>What-ifs</source>
        <translation>Versuche</translation>
    </message>
    <message>
        <source>Name: %1</source>
        <translation>Name: %1</translation>
    </message>
    <message>
        <source>Ablating hits one by one…</source>
        <translation>Ablatiert Treffer einzeln …</translation>
    </message>
    <message>
        <source>Running the segment again…</source>
        <translation>Führt das Segment noch einmal aus …</translation>
    </message>
    <message>
        <source>Not now: %1</source>
        <translation>Jetzt nicht: %1</translation>
    </message>
    <message>
        <source>No change is set yet.</source>
        <translation>Noch ist keine Änderung eingestellt.</translation>
    </message>
    <message>
        <source>, about %1 s at the run&apos;s speed</source>
        <translation>, beim Tempo des Laufs etwa %1 s</translation>
    </message>
    <message>
        <source>%1 segments to run%2.</source>
        <translation>%1 Segmente auszuführen%2.</translation>
    </message>
    <message>
        <source>Can&apos;t run: %1</source>
        <translation>Nicht ausführbar: %1</translation>
    </message>
    <message>
        <source>Compared prediction</source>
        <translation>Verglichene Vorhersage</translation>
    </message>
    <message>
        <source>Shown too: %1</source>
        <translation>Dazu gezeigt: %1</translation>
    </message>
    <message>
        <source>Select a token of the segment to see its logit change</source>
        <translation>Wählen Sie ein Token des Segments, um die Änderung seines Logits zu sehen</translation>
    </message>
    <message>
        <source>Hit ablation</source>
        <translation>Treffer-Ablation</translation>
    </message>
    <message>
        <source>&lt;b&gt;Segment %1&lt;/b&gt;, tokens %2 to %3, run again with these changes:</source>
        <translation>&lt;b&gt;Segment %1&lt;/b&gt;, Token %2 bis %3, noch einmal mit diesen Änderungen:</translation>
    </message>
    <message>
        <source>How long it takes is not known yet.</source>
        <translation>Wie lange es dauert, ist noch nicht bekannt.</translation>
    </message>
</context>
<context>
    <name>WhatIfTable</name>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Segment</source>
        <translation>Segment</translation>
    </message>
    <message>
        <source>Δ loss</source>
        <translation>Δ Verlust</translation>
    </message>
    <message>
        <source>Hits</source>
        <translation>Treffer</translation>
    </message>
    <message>
        <source>What if</source>
        <translation>Änderung</translation>
    </message>
    <message>
        <source>Double-click or press F2 to change it</source>
        <translation>Doppelklick oder F2 ändert ihn</translation>
    </message>
    <message>
        <source>The segment that was run again</source>
        <translation>Das Segment, das noch einmal ausgeführt wurde</translation>
    </message>
    <message>
        <source>Mean over the segment&apos;s targets, in nats. Positive: worse</source>
        <translation>Mittel über die Ziele des Segments, in nat. Positiv: schlechter</translation>
    </message>
    <message>
        <source>Lower bound of the 95 % interval: paired bootstrap over blocks of 32 tokens</source>
        <translation>Untere Grenze des 95-%-Intervalls: gepaarter Bootstrap über Blöcke von 32 Token</translation>
    </message>
    <message>
        <source>Upper bound of the 95 % interval: paired bootstrap over blocks of 32 tokens</source>
        <translation>Obere Grenze des 95-%-Intervalls: gepaarter Bootstrap über Blöcke von 32 Token</translation>
    </message>
    <message>
        <source>What was changed</source>
        <translation>Was geändert wurde</translation>
    </message>
    <message>
        <source>CI low</source>
        <translation>KI unten</translation>
    </message>
    <message>
        <source>CI high</source>
        <translation>KI oben</translation>
    </message>
    <message>
        <source>Δ logit</source>
        <translation>Δ Logit</translation>
    </message>
    <message>
        <source>Change of the selected token&apos;s logit; with a foil, of that logit minus the foil&apos;s</source>
        <translation>Änderung des Logits des gewählten Tokens; mit Vergleichstoken die dieses Logits minus dem des Vergleichstokens</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>Run that the segment belongs to, with its text and model</source>
        <translation>Lauf, zu dem das Segment gehört, mit seinem Text und Modell</translation>
    </message>
    <message>
        <source>Hits that only one of the two has</source>
        <translation>Treffer, die nur einer von beiden hat</translation>
    </message>
</context>
<context>
    <name>WhyPanel</name>
    <message>
        <source>Why this token?</source>
        <translation>Warum dieses Token?</translation>
    </message>
    <message>
        <source>Heads and neurons</source>
        <translation>Köpfe und Neuronen</translation>
    </message>
    <message>
        <source>Through</source>
        <translation>Wodurch</translation>
    </message>
    <message>
        <source>What it adds to the logit directly</source>
        <translation>Was der Kopf oder das Neuron direkt zum Logit beiträgt</translation>
    </message>
    <message>
        <source>Position</source>
        <translation>Position</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>What all heads add to the logit by reading it</source>
        <translation>Was alle Köpfe zum Logit beitragen, indem sie das Token lesen</translation>
    </message>
    <message>
        <source>Likeliest tokens</source>
        <translation>Wahrscheinlichste Token</translation>
    </message>
    <message>
        <source>Logit lens by layer</source>
        <translation>Logit Lens nach Schicht</translation>
    </message>
    <message>
        <source>Heads and neurons that change the logit most</source>
        <translation>Köpfe und Neuronen, die das Logit am stärksten ändern</translation>
    </message>
    <message>
        <source>Positions that change the logit most</source>
        <translation>Positionen, die das Logit am stärksten ändern</translation>
    </message>
    <message>
        <source>The prediction</source>
        <translation>Die Vorhersage</translation>
    </message>
    <message>
        <source>Where the likeliest tokens are still missing</source>
        <translation>Warum die wahrscheinlichsten Token noch fehlen</translation>
    </message>
    <message>
        <source>Layer (−1: embedding)</source>
        <translation>Schicht (−1: Einbettung)</translation>
    </message>
    <message>
        <source>Probability</source>
        <translation>Wahrscheinlichkeit</translation>
    </message>
    <message>
        <source>target, residual stream</source>
        <translation>Ziel, Residualstrom</translation>
    </message>
    <message>
        <source>target, carry path</source>
        <translation>Ziel, Weg des Übertrags</translation>
    </message>
    <message>
        <source>foil, residual stream</source>
        <translation>Vergleichstoken, Residualstrom</translation>
    </message>
    <message>
        <source>Select a token in the text to see why it was predicted</source>
        <translation>Wählen Sie im Text ein Token, um zu sehen, warum es vorhergesagt wurde</translation>
    </message>
    <message>
        <source>Logit lens: %1</source>
        <translation>Logit Lens: %1</translation>
    </message>
    <message>
        <source>The target is not the likeliest token after the last layer.</source>
        <translation>Nach der letzten Schicht ist das Ziel nicht das wahrscheinlichste Token.</translation>
    </message>
    <message>
        <source>The target is the likeliest token from the embedding on.</source>
        <translation>Das Ziel ist von der Einbettung an das wahrscheinlichste Token.</translation>
    </message>
    <message>
        <source>The target is the likeliest token from layer %1 on.</source>
        <translation>Das Ziel ist von Schicht %1 an das wahrscheinlichste Token.</translation>
    </message>
    <message>
        <source>At %1, %2 = %3, probability %4. %5</source>
        <translation>Bei %1: %2 = %3, Wahrscheinlichkeit %4. %5</translation>
    </message>
    <message>
        <source>Run the segment without this column&apos;s part</source>
        <translation>Segment ohne den Teil dieser Spalte ausführen</translation>
    </message>
    <message>
        <source>Run the segment without this head&apos;s output</source>
        <translation>Segment ohne die Ausgabe dieses Kopfes ausführen</translation>
    </message>
    <message>
        <source>Run the segment without this position in any retrieved prefix</source>
        <translation>Segment ohne diese Position in irgendeinem abgerufenen Präfix ausführen</translation>
    </message>
</context>
<context>
    <name>carryover</name>
    <message>
        <source>carry and retrieval</source>
        <translation>Übertrag und Retrieval</translation>
    </message>
    <message>
        <source>plain attention over the whole text, for comparison</source>
        <translation>gewöhnliche Attention über den ganzen Text, zum Vergleich</translation>
    </message>
    <message>
        <source>sentence</source>
        <translation>Satz</translation>
    </message>
    <message>
        <source>there is none</source>
        <translation>es gibt keinen</translation>
    </message>
    <message>
        <source>Enter a sentence of a few words or more.</source>
        <translation>Geben Sie einen Satz aus mindestens ein paar Wörtern ein.</translation>
    </message>
    <message>
        <source>the text that is run is too short for the sentence</source>
        <translation>der Text, der ausgeführt wird, ist zu kurz für den Satz</translation>
    </message>
    <message>
        <source>Run three segments or more, or use fewer words.</source>
        <translation>Führen Sie drei Segmente oder mehr aus, oder verwenden Sie weniger Wörter.</translation>
    </message>
    <message>
        <source>Go to the segment with the highest loss</source>
        <translation>Zum Segment mit dem höchsten Verlust</translation>
    </message>
    <message>
        <source>Go to the segment with the most anchors</source>
        <translation>Zum Segment mit den meisten Ankern</translation>
    </message>
    <message>
        <source>Grouping: %1</source>
        <translation>Gruppierung: %1</translation>
    </message>
    <message>
        <source>grouping “%1”</source>
        <translation>Gruppierung „%1“</translation>
    </message>
    <message>
        <source>Policy: %1</source>
        <translation>Verfahren: %1</translation>
    </message>
    <message>
        <source>Show: %1</source>
        <translation>Zeigen: %1</translation>
    </message>
    <message>
        <source>Bookmark: %1</source>
        <translation>Lesezeichen: %1</translation>
    </message>
    <message>
        <source>segment</source>
        <translation>Segment</translation>
    </message>
    <message>
        <source>token</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>head</source>
        <translation>Kopf</translation>
    </message>
    <message>
        <source>Go to segment %1</source>
        <translation>Zu Segment %1</translation>
    </message>
    <message>
        <source>Go to token %1</source>
        <translation>Zu Token %1</translation>
    </message>
    <message>
        <source>Go to layer %1, head %2</source>
        <translation>Zu Schicht %1, Kopf %2</translation>
    </message>
    <message>
        <source>--size takes WIDTHxHEIGHT of at least 640x480, such as 1280x800</source>
        <translation>--size erwartet BREITExHÖHE von mindestens 640x480, etwa 1280x800</translation>
    </message>
    <message>
        <source>Model folder, GGUF file, or session file</source>
        <translation>Modellordner, GGUF-Datei oder Sitzungsdatei</translation>
    </message>
    <message>
        <source>UTF-8 text</source>
        <translation>UTF-8-Text</translation>
    </message>
    <message>
        <source>Stay with the demo; fetch no default model or book</source>
        <translation>Bei der Demo bleiben; weder Standardmodell noch Standardbuch herunterladen</translation>
    </message>
    <message>
        <source>Run the first N tokens; 0: all</source>
        <translation>Die ersten N Token ausführen; 0: alle</translation>
    </message>
    <message>
        <source>light or dark</source>
        <translation>light (hell) oder dark (dunkel)</translation>
    </message>
    <message>
        <source>system, en or de</source>
        <translation>system, en oder de</translation>
    </message>
    <message>
        <source>Do not bring back what the last window showed</source>
        <translation>Nicht wiederherstellen, was das letzte Fenster zeigte</translation>
    </message>
    <message>
        <source>Size of the window</source>
        <translation>Größe des Fensters</translation>
    </message>
    <message>
        <source>Also open the folder of a training run</source>
        <translation>Auch den Ordner eines Trainingslaufs öffnen</translation>
    </message>
    <message>
        <source>Run, save pictures of each view to DIR, quit</source>
        <translation>Ausführen, Bilder aller Ansichten in DIR sichern, beenden</translation>
    </message>
    <message>
        <source>Quit when the run ends</source>
        <translation>Beenden, wenn der Lauf endet</translation>
    </message>
    <message>
        <source>No window: run, write data and pictures, quit</source>
        <translation>Kein Fenster: ausführen, Daten und Bilder schreiben, beenden</translation>
    </message>
    <message>
        <source>PEFT adapter to merge into the model</source>
        <translation>PEFT-Adapter, der ins Modell eingerechnet wird</translation>
    </message>
    <message>
        <source>Run folder of --headless</source>
        <translation>Laufordner von --headless</translation>
    </message>
    <message>
        <source>at most a model and a text can be given</source>
        <translation>höchstens ein Modell und ein Text können angegeben werden</translation>
    </message>
    <message>
        <source>--theme takes light or dark</source>
        <translation>--theme erwartet light oder dark</translation>
    </message>
    <message>
        <source>--language takes system, en or de</source>
        <translation>--language erwartet system, en oder de</translation>
    </message>
    <message>
        <source>policy %1 (%2)</source>
        <translation>Verfahren %1 (%2)</translation>
    </message>
    <message>
        <source>grouping</source>
        <translation>Gruppierung</translation>
    </message>
    <message>
        <source>Tokens trained on</source>
        <translation>Trainierte Token</translation>
    </message>
    <message>
        <source>Training time (min)</source>
        <translation>Trainingszeit (min)</translation>
    </message>
    <message>
        <source>Optimizer step</source>
        <translation>Schritt des Optimierers</translation>
    </message>
    <message>
        <source>on</source>
        <translation>an</translation>
    </message>
    <message>
        <source>Choose</source>
        <translation>Wählen</translation>
    </message>
    <message>
        <source>Files…</source>
        <translation>Dateien …</translation>
    </message>
    <message>
        <source>Folder…</source>
        <translation>Ordner …</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>Daten</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>The checkpoint to start from: Hugging Face folder or GGUF</source>
        <translation>Der Checkpoint, von dem das Training ausgeht: Hugging-Face-Ordner oder GGUF</translation>
    </message>
    <message>
        <source>Texts</source>
        <translation>Texte</translation>
    </message>
    <message>
        <source>Files or folders, one per line: text, .jsonl, or .json of ids</source>
        <translation>Dateien oder Ordner, je Zeile einer: Text, .jsonl oder .json mit Token-Ids</translation>
    </message>
    <message>
        <source>JSONL field</source>
        <translation>JSONL-Feld</translation>
    </message>
    <message>
        <source>Which field of a JSONL line holds the text</source>
        <translation>Welches Feld einer JSONL-Zeile den Text enthält</translation>
    </message>
    <message>
        <source>Run folder</source>
        <translation>Laufordner</translation>
    </message>
    <message>
        <source>A new folder for metrics, checkpoints and the result</source>
        <translation>Ein neuer Ordner für Messwerte, Checkpoints und das Ergebnis</translation>
    </message>
    <message>
        <source>Held out</source>
        <translation>Zurückgehalten</translation>
    </message>
    <message>
        <source>Share of the tokens kept for validation</source>
        <translation>Anteil der Token, der für die Validierung bleibt</translation>
    </message>
    <message>
        <source>Validate every</source>
        <translation>Validieren alle</translation>
    </message>
    <message>
        <source> steps</source>
        <translation> Schritte</translation>
    </message>
    <message>
        <source>0: at the end only</source>
        <translation>0: nur am Ende</translation>
    </message>
    <message>
        <source>Validation lengths</source>
        <translation>Validierungslängen</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>Context lengths such as 1024, 4096; empty: the length of a sample</source>
        <translation>Kontextlängen wie 1024, 4096; leer: die Länge eines Samples</translation>
    </message>
    <message>
        <source>Execution</source>
        <translation>Ausführung</translation>
    </message>
    <message>
        <source>dtype</source>
        <translation>dtype</translation>
    </message>
    <message>
        <source>dtype of the computation; master weights are always fp32</source>
        <translation>dtype der Berechnung; Master-Gewichte sind immer fp32</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>auto: the GPU if there is one</source>
        <translation>auto: die GPU, wenn es eine gibt</translation>
    </message>
    <message>
        <source>Threads</source>
        <translation>Threads</translation>
    </message>
    <message>
        <source>0: all cores; the same number repeats a run exactly</source>
        <translation>0: alle Kerne; dieselbe Zahl wiederholt einen Lauf genau</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Seed</translation>
    </message>
    <message>
        <source>Seed of the order of samples, of LoRA&apos;s initial weights and of dropout</source>
        <translation>Seed der Reihenfolge der Samples, der Anfangsgewichte von LoRA und des Dropouts</translation>
    </message>
    <message>
        <source>Segments</source>
        <translation>Segmente</translation>
    </message>
    <message>
        <source> tokens</source>
        <translation> Token</translation>
    </message>
    <message>
        <source>Segments per sample</source>
        <translation>Segmente je Sample</translation>
    </message>
    <message>
        <source>0: K + 1</source>
        <translation>0: K + 1</translation>
    </message>
    <message>
        <source>Long-range layers</source>
        <translation>Weitreichende Schichten</translation>
    </message>
    <message>
        <source>Long-range heads</source>
        <translation>Weitreichende Köpfe</translation>
    </message>
    <message>
        <source> queries</source>
        <translation> Queries</translation>
    </message>
    <message>
        <source> per summary</source>
        <translation> je Zusammenfassung</translation>
    </message>
    <message>
        <source>RoPE</source>
        <translation>RoPE</translation>
    </message>
    <message>
        <source>Optimisation</source>
        <translation>Optimierung</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Total number of optimizer steps</source>
        <translation>Schritte des Optimierers insgesamt</translation>
    </message>
    <message>
        <source>Accumulation</source>
        <translation>Akkumulation</translation>
    </message>
    <message>
        <source> micro-batches</source>
        <translation> Micro-Batches</translation>
    </message>
    <message>
        <source>Micro-batches per optimizer step</source>
        <translation>Micro-Batches je Schritt des Optimierers</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>Lernrate</translation>
    </message>
    <message>
        <source>Learning rate of AdamW after the warm-up</source>
        <translation>Lernrate von AdamW nach dem Warm-up</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>Verlauf</translation>
    </message>
    <message>
        <source>After the warm-up; cosine falls to 0</source>
        <translation>Nach dem Warm-up; cosine fällt auf 0</translation>
    </message>
    <message>
        <source>Warm-up</source>
        <translation>Warm-up</translation>
    </message>
    <message>
        <source>Steps in which the learning rate rises linearly</source>
        <translation>Schritte, in denen die Lernrate linear steigt</translation>
    </message>
    <message>
        <source>Weight decay</source>
        <translation>Weight Decay</translation>
    </message>
    <message>
        <source>AdamW&apos;s decay of matrices; norms are not decayed</source>
        <translation>Weight Decay von AdamW für Matrizen; Normen haben keinen</translation>
    </message>
    <message>
        <source>Adam β₁</source>
        <translation>Adam β₁</translation>
    </message>
    <message>
        <source>Decay of the first moment</source>
        <translation>Abklingen des ersten Moments</translation>
    </message>
    <message>
        <source>Adam β₂</source>
        <translation>Adam β₂</translation>
    </message>
    <message>
        <source>Decay of the second moment</source>
        <translation>Abklingen des zweiten Moments</translation>
    </message>
    <message>
        <source>Adam ε</source>
        <translation>Adam ε</translation>
    </message>
    <message>
        <source>AdamW&apos;s ε, added to the denominator</source>
        <translation>ε von AdamW, das zum Nenner addiert wird</translation>
    </message>
    <message>
        <source>Clip gradient at</source>
        <translation>Gradient kappen bei</translation>
    </message>
    <message>
        <source>Largest norm of the gradient; 0: no clipping</source>
        <translation>Größte Norm des Gradienten; 0: nicht kappen</translation>
    </message>
    <message>
        <source>Distillation</source>
        <translation>Destillation</translation>
    </message>
    <message>
        <source>Weight of the KL to the model&apos;s own full attention, 0 to 1; 0: none</source>
        <translation>Gewicht der KL zur vollen Attention des Modells selbst, 0 bis 1; 0: keine</translation>
    </message>
    <message>
        <source>Checkpointing</source>
        <translation>Checkpointing</translation>
    </message>
    <message>
        <source>Recomputes each layer in the backward pass: less memory, a third slower</source>
        <translation>Berechnet jede Schicht im Rückwärtslauf noch einmal: weniger Speicher, ein Drittel langsamer</translation>
    </message>
    <message>
        <source>LoRA</source>
        <translation>LoRA</translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>Rang</translation>
    </message>
    <message>
        <source>0: every parameter is trained instead</source>
        <translation>0: stattdessen wird jeder Parameter trainiert</translation>
    </message>
    <message>
        <source>Alpha</source>
        <translation>Alpha</translation>
    </message>
    <message>
        <source>The adapter&apos;s scale is alpha / rank</source>
        <translation>Die Skala des Adapters ist Alpha / Rang</translation>
    </message>
    <message>
        <source>Dropout</source>
        <translation>Dropout</translation>
    </message>
    <message>
        <source>Dropout of the adapter&apos;s input, 0 to 1</source>
        <translation>Dropout der Eingabe des Adapters, 0 bis 1</translation>
    </message>
    <message>
        <source>rsLoRA</source>
        <translation>rsLoRA</translation>
    </message>
    <message>
        <source>The scale is alpha / √rank</source>
        <translation>Die Skala ist Alpha / √Rang</translation>
    </message>
    <message>
        <source>Modules</source>
        <translation>Module</translation>
    </message>
    <message>
        <source>The linear maps that get an adapter</source>
        <translation>Die linearen Abbildungen, die einen Adapter bekommen</translation>
    </message>
    <message>
        <source>Checkpoints</source>
        <translation>Checkpoints</translation>
    </message>
    <message>
        <source>Save every</source>
        <translation>Sichern alle</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source> checkpoints</source>
        <translation> Checkpoints</translation>
    </message>
    <message>
        <source>The newest ones</source>
        <translation>Die neuesten</translation>
    </message>
    <message>
        <source>Safety</source>
        <translation>Sicherheit</translation>
    </message>
    <message>
        <source>On an alert</source>
        <translation>Bei Alarm</translation>
    </message>
    <message>
        <source>On a NaN or a spike: pause, skip the step, or stop</source>
        <translation>Bei NaN oder einem Sprung: pausieren, den Schritt auslassen oder anhalten</translation>
    </message>
    <message>
        <source>Spike</source>
        <translation>Sprung</translation>
    </message>
    <message>
        <source>× smoothed loss</source>
        <translation>× geglätteter Verlust</translation>
    </message>
    <message>
        <source>A loss above this multiple of the smoothed loss is a spike; 0: no check for spikes</source>
        <translation>Ein Verlust über diesem Vielfachen des geglätteten Verlusts ist ein Sprung; 0: nicht auf Sprünge prüfen</translation>
    </message>
    <message>
        <source>there is no “%1” here</source>
        <translation>„%1“ gibt es hier nicht</translation>
    </message>
    <message>
        <source>Count from 0, and select what the run has.</source>
        <translation>Zählen Sie ab 0, und wählen Sie, was der Lauf hat.</translation>
    </message>
    <message>
        <source>has no step of a training yet</source>
        <translation>hat noch keinen Schritt eines Trainings</translation>
    </message>
    <message>
        <source>Open it when there is one.</source>
        <translation>Öffnen Sie ihn, wenn es einen gibt.</translation>
    </message>
    <message>
        <source>the demo is not installed</source>
        <translation>die Demo ist nicht installiert</translation>
    </message>
    <message>
        <source>Open a model and a text.</source>
        <translation>Öffnen Sie ein Modell und einen Text.</translation>
    </message>
    <message>
        <source>can&apos;t be opened</source>
        <translation>lässt sich nicht öffnen</translation>
    </message>
    <message>
        <source>“%1” is not known</source>
        <translation>„%1“ ist nicht bekannt</translation>
    </message>
    <message>
        <source>Use one of %1.</source>
        <translation>Verwenden Sie eines von: %1.</translation>
    </message>
    <message>
        <source>“%1” is not a number</source>
        <translation>„%1“ ist keine Zahl</translation>
    </message>
    <message>
        <source>0 runs the whole text.</source>
        <translation>0 führt den ganzen Text aus.</translation>
    </message>
    <message>
        <source>no model is open</source>
        <translation>kein Modell ist offen</translation>
    </message>
    <message>
        <source>Open one first.</source>
        <translation>Öffnen Sie zuerst eines.</translation>
    </message>
    <message>
        <source>run</source>
        <translation>run</translation>
    </message>
    <message>
        <source>wait</source>
        <translation>wait</translation>
    </message>
    <message>
        <source>“%1” is not a segment</source>
        <translation>„%1“ ist kein Segment</translation>
    </message>
    <message>
        <source>Count from 0.</source>
        <translation>Zählen Sie ab 0.</translation>
    </message>
    <message>
        <source>the run ended after %1 segments</source>
        <translation>der Lauf endete nach %1 Segmenten</translation>
    </message>
    <message>
        <source>Wait for an earlier one.</source>
        <translation>Warten Sie auf ein früheres.</translation>
    </message>
    <message>
        <source>“%1” is not a number of seconds</source>
        <translation>„%1“ ist keine Zahl von Sekunden</translation>
    </message>
    <message>
        <source>Such as 0.5.</source>
        <translation>Zum Beispiel 0.5.</translation>
    </message>
    <message>
        <source>there is no such panel</source>
        <translation>diese Ansicht gibt es nicht</translation>
    </message>
    <message>
        <source>The panels are %1.</source>
        <translation>Die Ansichten sind %1.</translation>
    </message>
    <message>
        <source>the engine is busy</source>
        <translation>der Rechenkern ist beschäftigt</translation>
    </message>
    <message>
        <source>Wait until the engine is idle.</source>
        <translation>Warten Sie, bis der Rechenkern frei ist.</translation>
    </message>
    <message>
        <source>can&apos;t be pinned</source>
        <translation>lässt sich nicht anheften</translation>
    </message>
    <message>
        <source>Write: pin run, or pin none.</source>
        <translation>Schreiben Sie: pin run, oder pin none.</translation>
    </message>
    <message>
        <source>Run a text first.</source>
        <translation>Führen Sie zuerst einen Text aus.</translation>
    </message>
    <message>
        <source>zoom</source>
        <translation>zoom</translation>
    </message>
    <message>
        <source>Give x0 x1 y0 y1.</source>
        <translation>Geben Sie x0 x1 y0 y1 an.</translation>
    </message>
    <message>
        <source>can&apos;t be “%1”</source>
        <translation>kann nicht „%1“ sein</translation>
    </message>
    <message>
        <source>Give size WxHmm, style NAME, dpi from 50 to 1200.</source>
        <translation>Geben Sie size BxHmm, style NAME, dpi von 50 bis 1200 an.</translation>
    </message>
    <message>
        <source>can&apos;t be exported</source>
        <translation>lässt sich so nicht exportieren</translation>
    </message>
    <message>
        <source>Write export figure NAME FILE, data KIND FILE, what-ifs FILE, report FILE or plots FOLDER.</source>
        <translation>Schreiben Sie export figure NAME DATEI, data ART DATEI, what-ifs DATEI, report DATEI oder plots ORDNER.</translation>
    </message>
    <message>
        <source>save</source>
        <translation>save</translation>
    </message>
    <message>
        <source>no run has ended</source>
        <translation>kein Lauf ist zu Ende</translation>
    </message>
    <message>
        <source>Run a text and wait first.</source>
        <translation>Führen Sie zuerst einen Text aus, und warten Sie das Ende ab.</translation>
    </message>
    <message>
        <source>is not a theme</source>
        <translation>ist kein Farbschema</translation>
    </message>
    <message>
        <source>Use light or dark.</source>
        <translation>Verwenden Sie light oder dark.</translation>
    </message>
    <message>
        <source>FIELD VALUE</source>
        <translation>FELD WERT</translation>
    </message>
    <message>
        <source>[SECONDS | segment N]</source>
        <translation>[SEKUNDEN | segment N]</translation>
    </message>
    <message>
        <source>[segment N|first|last|most-anchors] [layer N] [head N|first] [token N|top-hit]</source>
        <translation>[segment N|first|last|most-anchors] [layer N] [head N|first] [token N|top-hit]</translation>
    </message>
    <message>
        <source>PANEL</source>
        <translation>ANSICHT</translation>
    </message>
    <message>
        <source>PANEL SWITCH VALUE</source>
        <translation>ANSICHT SCHALTER WERT</translation>
    </message>
    <message>
        <source>PANEL BUTTON</source>
        <translation>ANSICHT KNOPF</translation>
    </message>
    <message>
        <source>run | none</source>
        <translation>run | none</translation>
    </message>
    <message>
        <source>PLOT X0 X1 Y0 Y1</source>
        <translation>DIAGRAMM X0 X1 Y0 Y1</translation>
    </message>
    <message>
        <source>figure NAME FILE [size WxHmm] [style NAME] [dpi N] | data KIND FILE | what-ifs FILE | report FILE | plots FOLDER</source>
        <translation>figure NAME DATEI [size BxHmm] [style NAME] [dpi N] | data ART DATEI | what-ifs DATEI | report DATEI | plots ORDNER</translation>
    </message>
    <message>
        <source>light | dark</source>
        <translation>light | dark</translation>
    </message>
    <message>
        <source>Write: %1 %2</source>
        <translation>Schreiben Sie: %1 %2</translation>
    </message>
    <message>
        <source>is an unknown script command</source>
        <translation>ist ein unbekannter Skriptbefehl</translation>
    </message>
    <message>
        <source>The commands are %1.</source>
        <translation>Die Befehle sind %1.</translation>
    </message>
    <message>
        <source>Command that starts a remote engine: &quot;ssh HOST carryover-cli engine&quot;</source>
        <translation>Befehl, der einen entfernten Rechenkern startet: &quot;ssh HOST carryover-cli engine&quot;</translation>
    </message>
    <message>
        <source>Run a script in the window, quit at its end</source>
        <translation>Ein Skript im Fenster ausführen, an seinem Ende beenden</translation>
    </message>
    <message>
        <source>--script opens what it needs itself: leave out the model and the text</source>
        <translation>--script öffnet selbst, was es braucht: Lassen Sie das Modell und den Text weg</translation>
    </message>
    <message>
        <source>--engine takes a command</source>
        <translation>--engine erwartet einen Befehl</translation>
    </message>
    <message>
        <source>with --engine, name the model by its path on the engine&apos;s machine</source>
        <translation>mit --engine: Nennen Sie das Modell mit seinem Pfad auf dem Rechner des Rechenkerns</translation>
    </message>
    <message>
        <source>Loss of %1 common targets, nats</source>
        <translation>Verlust von %1 gemeinsamen Zielen, nat</translation>
    </message>
    <message>
        <source>Perplexity of these targets</source>
        <translation>Perplexität dieser Ziele</translation>
    </message>
    <message>
        <source>Perplexity of the whole run</source>
        <translation>Perplexität des ganzen Laufs</translation>
    </message>
    <message>
        <source>Hits in common (Jaccard)</source>
        <translation>Gemeinsame Treffer (Jaccard)</translation>
    </message>
    <message>
        <source>Hits, padding left out</source>
        <translation>Treffer, ohne Auffüllung</translation>
    </message>
    <message>
        <source>Near-ties at the cutoff</source>
        <translation>Fast-Gleichstände</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>Time, s</source>
        <translation>Zeit, s</translation>
    </message>
    <message>
        <source>Speed, tokens/s</source>
        <translation>Tempo, Token/s</translation>
    </message>
    <message>
        <source>Attention-visible KV, MB</source>
        <translation>Für Attention sichtbare KV, MB</translation>
    </message>
    <message>
        <source>Carry, MB</source>
        <translation>Übertrag, MB</translation>
    </message>
    <message>
        <source>Pool or cache, MB</source>
        <translation>Pool oder Cache, MB</translation>
    </message>
    <message>
        <source>Activations, peak, MB</source>
        <translation>Aktivierungen, Spitze, MB</translation>
    </message>
    <message>
        <source>All of the run, peak, MB</source>
        <translation>Der ganze Lauf, Spitze, MB</translation>
    </message>
    <message>
        <source>model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>weights_hash</source>
        <translation>weights_hash</translation>
    </message>
    <message>
        <source>adapter</source>
        <translation>Adapter</translation>
    </message>
    <message>
        <source>text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>policy</source>
        <translation>Verfahren</translation>
    </message>
    <message>
        <source>device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>threads</source>
        <translation>Threads</translation>
    </message>
    <message>
        <source>forced hits</source>
        <translation>erzwungene Treffer</translation>
    </message>
    <message>
        <source>The models have different vocabularies: no token is common. Memory, speed and settings are compared.</source>
        <translation>Die Modelle haben verschiedene Vokabulare: Kein Token ist gemeinsam. Verglichen werden Speicher, Tempo und Einstellungen.</translation>
    </message>
    <message>
        <source>The texts have no token in common. Memory, speed and settings are compared.</source>
        <translation>Die Texte haben kein Token gemeinsam. Verglichen werden Speicher, Tempo und Einstellungen.</translation>
    </message>
    <message>
        <source>The texts differ from token %1 on. Losses and hits are compared at the %2 tokens that are the same at the same place.</source>
        <translation>Die Texte unterscheiden sich ab Token %1. Verluste und Treffer werden an den %2 Token verglichen, die an derselben Stelle gleich sind.</translation>
    </message>
    <message>
        <source>One text is longer. Losses and hits are compared over the %1 tokens that both runs read.</source>
        <translation>Ein Text ist länger. Verluste und Treffer werden über die %1 Token verglichen, die beide Läufe gelesen haben.</translation>
    </message>
    <message>
        <source>Both read the same %1 tokens.</source>
        <translation>Beide lesen dieselben %1 Token.</translation>
    </message>
    <message>
        <source>As on the screen</source>
        <translation>Wie auf dem Bildschirm</translation>
    </message>
    <message>
        <source>Paper: 8 pt, thin lines, no title</source>
        <translation>Papier: 8 pt, dünne Linien, kein Titel</translation>
    </message>
    <message>
        <source>Slide: 14 pt, thick lines</source>
        <translation>Folie: 14 pt, dicke Linien</translation>
    </message>
    <message>
        <source>Use %1.</source>
        <translation>Verwenden Sie %1.</translation>
    </message>
    <message>
        <source>One column</source>
        <translation>Eine Spalte</translation>
    </message>
    <message>
        <source>One and a half columns</source>
        <translation>Anderthalb Spalten</translation>
    </message>
    <message>
        <source>Two columns</source>
        <translation>Zwei Spalten</translation>
    </message>
    <message>
        <source>Slide</source>
        <translation>Folie</translation>
    </message>
    <message>
        <source>“%1” is not a size of a figure</source>
        <translation>„%1“ ist keine Größe einer Abbildung</translation>
    </message>
    <message>
        <source>Give millimetres from 20 to 1000, such as 85x60mm.</source>
        <translation>Geben Sie Millimeter von 20 bis 1000 an, wie 85x60mm.</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>targets</source>
        <translation>Ziele</translation>
    </message>
    <message>
        <source>segments</source>
        <translation>Segmente</translation>
    </message>
    <message>
        <source>mean loss, nats a target</source>
        <translation>mittlerer Verlust, nat je Ziel</translation>
    </message>
    <message>
        <source>perplexity</source>
        <translation>Perplexität</translation>
    </message>
    <message>
        <source>seconds</source>
        <translation>Sekunden</translation>
    </message>
    <message>
        <source>peak memory, MB</source>
        <translation>Speicherspitze, MB</translation>
    </message>
    <message>
        <source>stopped early</source>
        <translation>vorzeitig angehalten</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>ja</translation>
    </message>
    <message>
        <source>no</source>
        <translation>nein</translation>
    </message>
    <message>
        <source>first token</source>
        <translation>erstes Token</translation>
    </message>
    <message>
        <source>loss, nats</source>
        <translation>Verlust, nat</translation>
    </message>
    <message>
        <source>anchors</source>
        <translation>Anker</translation>
    </message>
    <message>
        <source>pool, tokens</source>
        <translation>Pool, Token</translation>
    </message>
    <message>
        <source>carry, MB</source>
        <translation>Übertrag, MB</translation>
    </message>
    <message>
        <source>attention-visible KV, MB</source>
        <translation>für Attention sichtbare KV, MB</translation>
    </message>
    <message>
        <source>&lt;p&gt;The first %1 of %2.&lt;/p&gt;
</source>
        <translation>&lt;p&gt;Die ersten %1 von %2.&lt;/p&gt;
</translation>
    </message>
    <message>
        <source>position</source>
        <translation>Position</translation>
    </message>
    <message>
        <source>distance</source>
        <translation>Abstand</translation>
    </message>
    <message>
        <source>score</source>
        <translation>Wertung</translation>
    </message>
    <message>
        <source>The best anchor of each head, as segment %1 reads it</source>
        <translation>Der beste Anker jedes Kopfes, wie Segment %1 ihn liest</translation>
    </message>
    <message>
        <source>Plots</source>
        <translation>Diagramme</translation>
    </message>
    <message>
        <source>Run %1</source>
        <translation>Lauf %1</translation>
    </message>
    <message>
        <source>there is no run to report</source>
        <translation>es gibt keinen Lauf, über den zu berichten wäre</translation>
    </message>
    <message>
        <source>Run a text, or open a run.</source>
        <translation>Führen Sie einen Text aus, oder öffnen Sie einen Lauf.</translation>
    </message>
    <message>
        <source>has a suffix that is not supported</source>
        <translation>hat eine Endung, die nicht unterstützt wird</translation>
    </message>
    <message>
        <source>Use .html or .pdf.</source>
        <translation>Verwenden Sie .html oder .pdf.</translation>
    </message>
    <message>
        <source>“%1” has no “%2”</source>
        <translation>„%1“ hat kein „%2“</translation>
    </message>
    <message>
        <source>Choose one of: %1.</source>
        <translation>Wählen Sie eines von: %1.</translation>
    </message>
    <message>
        <source>“%1” can&apos;t be “%2”</source>
        <translation>„%1“ kann nicht „%2“ sein</translation>
    </message>
    <message>
        <source>Use on or off.</source>
        <translation>Verwenden Sie on oder off.</translation>
    </message>
    <message>
        <source>Give one from %1 to %2.</source>
        <translation>Geben Sie eine von %1 bis %2 an.</translation>
    </message>
    <message>
        <source>“%1” can&apos;t be changed now</source>
        <translation>„%1“ lässt sich jetzt nicht ändern</translation>
    </message>
    <message>
        <source>Open or run what it needs first.</source>
        <translation>Öffnen Sie zuerst, was dazu nötig ist, oder führen Sie es aus.</translation>
    </message>
    <message>
        <source>has no “%1”</source>
        <translation>hat kein „%1“</translation>
    </message>
    <message>
        <source>It has: %1.</source>
        <translation>Es gibt dort: %1.</translation>
    </message>
    <message>
        <source>“%1” can&apos;t be pressed now</source>
        <translation>„%1“ lässt sich jetzt nicht drücken</translation>
    </message>
    <message>
        <source>has no button “%1”</source>
        <translation>hat keinen Knopf „%1“</translation>
    </message>
    <message>
        <source>It has none.</source>
        <translation>Dort gibt es keinen.</translation>
    </message>
    <message>
        <source>Pool keys</source>
        <translation>Keys des Pools</translation>
    </message>
    <message>
        <source>[PANEL | bench] FILE</source>
        <translation>[ANSICHT | bench] DATEI</translation>
    </message>
    <message>
        <source>is not a preset</source>
        <translation>ist keine Vorlage</translation>
    </message>
    <message>
        <source>The presets are %1.</source>
        <translation>Die Vorlagen sind %1.</translation>
    </message>
    <message>
        <source>session</source>
        <translation>Sitzung</translation>
    </message>
    <message>
        <source>this window has no session file</source>
        <translation>dieses Fenster hat keine Sitzungsdatei</translation>
    </message>
    <message>
        <source>Run the script in the program&apos;s own window.</source>
        <translation>Führen Sie das Skript im Fenster des Programms selbst aus.</translation>
    </message>
    <message>
        <source>Correct that field.</source>
        <translation>Berichtigen Sie dieses Feld.</translation>
    </message>
    <message>
        <source>can&apos;t be saved</source>
        <translation>lässt sich nicht sichern</translation>
    </message>
    <message>
        <source>PANEL | model</source>
        <translation>ANSICHT | model</translation>
    </message>
    <message>
        <source>PRESET FOLDER [FIELD VALUE] …</source>
        <translation>VORLAGE ORDNER [FELD WERT] …</translation>
    </message>
    <message>
        <source>Open a model and a text first, and wait until the engine is idle.</source>
        <translation>Öffnen Sie zuerst ein Modell und einen Text, und warten Sie, bis der Rechenkern frei ist.</translation>
    </message>
    <message>
        <source>%L1 steps</source>
        <translation>%L1 Schritte</translation>
    </message>
    <message>
        <source>Model: %1</source>
        <translation>Modell: %1</translation>
    </message>
    <message>
        <source>Adapter: none</source>
        <translation>Adapter: keiner</translation>
    </message>
    <message>
        <source>Adapter: %1</source>
        <translation>Adapter: %1</translation>
    </message>
    <message>
        <source>Weights: %1</source>
        <translation>Gewichte: %1</translation>
    </message>
    <message>
        <source>Trained for %1 in %2</source>
        <translation>%1 trainiert in %2</translation>
    </message>
    <message>
        <source>has no value</source>
        <translation>hat keinen Wert</translation>
    </message>
    <message>
        <source>Write the value after the name.</source>
        <translation>Schreiben Sie den Wert hinter den Namen.</translation>
    </message>
    <message>
        <source>Segment</source>
        <translation>Segment</translation>
    </message>
    <message>
        <source>Tokens per segment; one step of the recurrence reads one segment</source>
        <translation>Token je Segment; ein Schritt der Rekurrenz liest ein Segment</translation>
    </message>
    <message>
        <source>Carry</source>
        <translation>Übertrag</translation>
    </message>
    <message>
        <source>Carried tail: the last tokens of a segment, which the local heads of the next one read; at most S; 0: no carry</source>
        <translation>Übertrag: die letzten Token eines Segments, die die lokalen Köpfe des nächsten lesen; höchstens S; 0: kein Übertrag</translation>
    </message>
    <message>
        <source>Sinks</source>
        <translation>Sinks</translation>
    </message>
    <message>
        <source>First tokens of the text, which every head reads as attention sinks; n + M is at most S; 0: the paper&apos;s method</source>
        <translation>Erste Token des Textes, die jeder Kopf als Attention-Sinks liest; n + M ist höchstens S; 0: die Methode des Papers</translation>
    </message>
    <message>
        <source>Retrieval</source>
        <translation>Retrieval</translation>
    </message>
    <message>
        <source>Past tokens that a long-range head retrieves; may exceed S; 0: no retrieval</source>
        <translation>Vergangene Token, die ein weitreichender Kopf abruft; dürfen mehr als S sein; 0: kein Retrieval</translation>
    </message>
    <message>
        <source>Segment transitions that gradients cross in training; the forward does not depend on it</source>
        <translation>Segmentübergänge, über die Gradienten im Training laufen; der Vorwärtslauf hängt nicht davon ab</translation>
    </message>
    <message>
        <source>Layers that retrieve, counted from 0</source>
        <translation>Schichten, die abrufen, ab 0 gezählt</translation>
    </message>
    <message>
        <source>Query heads that are long-range, counted from 0: one list, or in a file one for each layer</source>
        <translation>Weitreichende Query-Köpfe, ab 0 gezählt: eine Liste, oder in einer Datei eine für jede Schicht</translation>
    </message>
    <message>
        <source>Queries</source>
        <translation>Queries</translation>
    </message>
    <message>
        <source>Last queries of a segment, which search for the prefix of the next segment</source>
        <translation>Letzte Queries eines Segments, die das Präfix des nächsten Segments suchen</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>Fenster</translation>
    </message>
    <message>
        <source>Queries averaged into one summary</source>
        <translation>Queries, die zu einer Zusammenfassung gemittelt werden</translation>
    </message>
    <message>
        <source>Stride</source>
        <translation>Schrittweite</translation>
    </message>
    <message>
        <source>Distance between two summaries</source>
        <translation>Abstand zweier Zusammenfassungen</translation>
    </message>
    <message>
        <source>Tail</source>
        <translation>Ende</translation>
    </message>
    <message>
        <source>Last queries, averaged into one more summary</source>
        <translation>Letzte Queries, zu einer weiteren Zusammenfassung gemittelt</translation>
    </message>
    <message>
        <source>Best keys of the pool for each summary</source>
        <translation>Beste Keys des Pools für jede Zusammenfassung</translation>
    </message>
    <message>
        <source>Anchors</source>
        <translation>Anker</translation>
    </message>
    <message>
        <source>Best keys of a head, which are expanded; default: R/(o⁻ + o⁺ + 1)</source>
        <translation>Beste Keys eines Kopfes, die erweitert werden; Standard: R/(o⁻ + o⁺ + 1)</translation>
    </message>
    <message>
        <source>Expand before</source>
        <translation>Davor erweitern</translation>
    </message>
    <message>
        <source>Positions taken before an anchor</source>
        <translation>Positionen, die vor einem Anker mitgenommen werden</translation>
    </message>
    <message>
        <source>Expand after</source>
        <translation>Danach erweitern</translation>
    </message>
    <message>
        <source>Positions taken after an anchor</source>
        <translation>Positionen, die nach einem Anker mitgenommen werden</translation>
    </message>
    <message>
        <source>BOS before the text</source>
        <translation>BOS vor dem Text</translation>
    </message>
    <message>
        <source>Puts the model&apos;s BOS at position 0; it is never a target</source>
        <translation>Setzt das BOS des Modells an Position 0; vorhergesagt wird es nie</translation>
    </message>
    <message>
        <source>Targets across boundaries</source>
        <translation>Ziele über Grenzen</translation>
    </message>
    <message>
        <source>The last logits of a segment predict the next one&apos;s first token</source>
        <translation>Die letzten Logits eines Segments sagen das erste Token des nächsten voraus</translation>
    </message>
    <message>
        <source>Boundary at the prompt&apos;s end</source>
        <translation>Grenze am Ende des Prompts</translation>
    </message>
    <message>
        <source>Pool in host memory</source>
        <translation>Pool im Hauptspeicher</translation>
    </message>
    <message>
        <source>Keeps the retrieval pool in host memory when the model is on a GPU</source>
        <translation>Hält den Retrieval-Pool im Hauptspeicher, wenn das Modell auf einer GPU liegt</translation>
    </message>
    <message>
        <source>Format of the pool&apos;s keys: model (exact), bf16, or int8 for a pool in host memory; the last two take less memory, and hits may differ</source>
        <translation>Format der Keys des Pools: model (exakt), bf16, oder int8 bei einem Pool im Hauptspeicher; die letzten beiden brauchen weniger Speicher, und Treffer können abweichen</translation>
    </message>
    <message>
        <source>RoPE scaling that overrides the checkpoint&apos;s: default, linear:8, dynamic:10, llama3:8, yarn:4</source>
        <translation>RoPE-Skalierung, die die des Checkpoints ersetzt: default, linear:8, dynamic:10, llama3:8, yarn:4</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>Zusammenfassung</translation>
    </message>
    <message>
        <source>Name the folder of an experiment.</source>
        <translation>Nennen Sie den Ordner eines Experiments.</translation>
    </message>
    <message>
        <source>Segments that lost their attention sink</source>
        <translation>Segmente, die ihren Attention-Sink verloren haben</translation>
    </message>
    <message>
        <source>Local heads read</source>
        <translation>Lokale Köpfe lesen</translation>
    </message>
    <message>
        <source>Parts of a local head&apos;s prefix, in order: sinks, retrieved, carry. Only long-range layers have retrieved tokens. The paper: carry</source>
        <translation>Teile des Präfixes eines lokalen Kopfes, der Reihe nach: sinks, retrieved, carry. Nur weitreichende Schichten haben abgerufene Token. Im Paper: carry</translation>
    </message>
    <message>
        <source>Long-range heads read</source>
        <translation>Weitreichende Köpfe lesen</translation>
    </message>
    <message>
        <source>Parts of a long-range head&apos;s prefix, in order. The paper: retrieved</source>
        <translation>Teile des Präfixes eines weitreichenden Kopfes, der Reihe nach. Im Paper: retrieved</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Suche</translation>
    </message>
    <message>
        <source>Search heads</source>
        <translation>Suchköpfe</translation>
    </message>
    <message>
        <source>Heads whose queries search if the search is shared, as layer.head; their scores are added up</source>
        <translation>Köpfe, deren Queries bei gemeinsamer Suche suchen, als Schicht.Kopf; ihre Wertungen werden addiert</translation>
    </message>
    <message>
        <source>Scores</source>
        <translation>Wertungen</translation>
    </message>
    <message>
        <source>summaries: dot products of keys with means of queries (the paper); centred: the largest dot product with a query, of keys minus their mean, as z-scores</source>
        <translation>summaries: Skalarprodukte der Keys mit Mitteln von Queries (wie im Paper); centred: das größte Skalarprodukt mit einer Query, von Keys abzüglich ihres Mittels, als z-Werte</translation>
    </message>
    <message>
        <source>Retrieve</source>
        <translation>Abrufen</translation>
    </message>
    <message>
        <source>anchors: the best positions with their neighbours (the paper); windows: whole windows with the best mean scores</source>
        <translation>anchors: die besten Positionen mit ihren Nachbarn (wie im Paper); windows: ganze Fenster mit den besten mittleren Wertungen</translation>
    </message>
    <message>
        <source>Window length</source>
        <translation>Fensterlänge</translation>
    </message>
    <message>
        <source>Positions of a retrieved window</source>
        <translation>Positionen eines abgerufenen Fensters</translation>
    </message>
    <message>
        <source>Generation only: ends a segment at the end of the prompt, so that the question&apos;s queries retrieve for the answer, except for its first token</source>
        <translation>Nur beim Generieren: beendet ein Segment am Ende des Prompts, so dass die Queries der Frage für die Antwort abrufen, außer für deren erstes Token</translation>
    </message>
    <message>
        <source>Question pass</source>
        <translation>Frage-Durchgang</translation>
    </message>
    <message>
        <source>Generation only: runs the prompt&apos;s question twice, first as a draft that only searches, then after the retrieved tokens, so that the answer&apos;s first token can use them</source>
        <translation>Nur beim Generieren: führt die Frage des Prompts zweimal aus, zuerst als Entwurf, der nur sucht, dann hinter den abgerufenen Token, so dass das erste Token der Antwort sie nutzen kann</translation>
    </message>
    <message>
        <source>The paper&apos;s method, with sizes for the model&apos;s context length</source>
        <translation>Die Methode des Papers, mit Größen für die Kontextlänge des Modells</translation>
    </message>
    <message>
        <source>The same with 4 attention sinks (beyond the paper), for models not trained in segments</source>
        <translation>Dasselbe mit 4 Attention-Sinks (über das Paper hinaus), für Modelle, die nicht in Segmenten trainiert wurden</translation>
    </message>
    <message>
        <source>Every head reads sinks, windows retrieved by one shared search, and the carry; a question is run twice (beyond the paper)</source>
        <translation>Jeder Kopf liest Sinks, Fenster, die eine gemeinsame Suche abgerufen hat, und den Übertrag; eine Frage wird zweimal ausgeführt (über das Paper hinaus)</translation>
    </message>
    <message>
        <source>TEXT | without N | alone N</source>
        <translation>TEXT | without N | alone N</translation>
    </message>
    <message>
        <source>Run a text first, and wait.</source>
        <translation>Führen Sie zuerst einen Text aus, und warten Sie.</translation>
    </message>
    <message>
        <source>the last question has no passage “%1”</source>
        <translation>die letzte Frage hat keine Stelle „%1“</translation>
    </message>
    <message>
        <source>Write: ask without N, or ask alone N.</source>
        <translation>Schreiben Sie: ask without N, oder ask alone N.</translation>
    </message>
    <message>
        <source>The model predicts %1 with probability %2.</source>
        <translation>Das Modell sagt %1 mit der Wahrscheinlichkeit %2 voraus.</translation>
    </message>
    <message>
        <source>Segment %1 does not contain this word: it is %L2 tokens back, in the carried tail of the previous segment: %3.</source>
        <translation>Segment %1 enthält dieses Wort nicht: Es liegt %L2 Token zurück, im Übertrag des vorigen Segments: %3.</translation>
    </message>
    <message>
        <source>%1 retrieved it from segment %2, %L3 tokens back: %4.</source>
        <translation>Abgerufen von %1 aus Segment %2, %L3 Token zurück: %4.</translation>
    </message>
    <message>
        <source>Without it: probability &lt;b&gt;%1&lt;/b&gt;; the loss on “%3” changes by %2 nats.</source>
        <translation>Ohne es: Wahrscheinlichkeit &lt;b&gt;%1&lt;/b&gt;; der Verlust auf „%3“ ändert sich um %2 nat.</translation>
    </message>
    <message>
        <source>“%1 &lt;b&gt;%2&lt;/b&gt;”: probability %3; without retrieval %4.</source>
        <translation>„%1 &lt;b&gt;%2&lt;/b&gt;“: Wahrscheinlichkeit %3; ohne Retrieval %4.</translation>
    </message>
    <message>
        <source>The first passage that it retrieved is in segment %1, %L2 tokens back: “%3”.</source>
        <translation>Die erste abgerufene Stelle liegt in Segment %1, %L2 Token zurück: „%3“.</translation>
    </message>
    <message>
        <source>Without this passage the probability of “%1” is &lt;b&gt;%2&lt;/b&gt;.</source>
        <translation>Ohne diese Stelle ist die Wahrscheinlichkeit von „%1“ &lt;b&gt;%2&lt;/b&gt;.</translation>
    </message>
    <message>
        <source>near-ties at the top-k cutoff</source>
        <translation>Fast-Gleichstände</translation>
    </message>
    <message>
        <source>TBPTT depth</source>
        <translation>TBPTT-Tiefe</translation>
    </message>
    <message>
        <source>Top-k</source>
        <translation>Top-k</translation>
    </message>
    <message>
        <source>Quote a word with its space.</source>
        <translation>Setzen Sie ein Wort mit seinem Leerzeichen in Anführungszeichen.</translation>
    </message>
    <message>
        <source>[TEXT]</source>
        <translation>[TEXT]</translation>
    </message>
    <message>
        <source>Open the demo; print its first story once it is painted, and quit</source>
        <translation>Die Demo öffnen; ihre erste Geschichte ausgeben, sobald sie gezeichnet ist, und beenden</translation>
    </message>
    <message>
        <source>--exit-after-story opens the demo: leave out model, text and script</source>
        <translation>--exit-after-story öffnet die Demo: daneben kein Modell, keinen Text und kein Skript nennen</translation>
    </message>
    <message>
        <source>What-ifs: change of the segment&apos;s mean loss, nats, with its 95 % interval</source>
        <translation>Versuche: Änderung des mittleren Verlusts des Segments, nat, mit ihrem 95-%-Intervall</translation>
    </message>
    <message>
        <source>name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>edit</source>
        <translation>Änderung</translation>
    </message>
    <message>
        <source>mean Δ</source>
        <translation>mittleres Δ</translation>
    </message>
    <message>
        <source>CI low</source>
        <translation>KI unten</translation>
    </message>
    <message>
        <source>CI high</source>
        <translation>KI oben</translation>
    </message>
    <message>
        <source>selected token</source>
        <translation>gewähltes Token</translation>
    </message>
    <message>
        <source>hits changed</source>
        <translation>geänderte Treffer</translation>
    </message>
    <message>
        <source>tags</source>
        <translation>Schlagwörter</translation>
    </message>
    <message>
        <source>quantity, or setting that differs</source>
        <translation>Größe, oder abweichende Einstellung</translation>
    </message>
    <message>
        <source>A: this run</source>
        <translation>A: dieser Lauf</translation>
    </message>
    <message>
        <source>B: pinned</source>
        <translation>B: angeheftet</translation>
    </message>
    <message>
        <source>A − B</source>
        <translation>A − B</translation>
    </message>
    <message>
        <source>Comparison with run %1</source>
        <translation>Vergleich mit Lauf %1</translation>
    </message>
    <message>
        <source>segment %1</source>
        <translation>Segment %1</translation>
    </message>
    <message>
        <source>layer %1</source>
        <translation>Schicht %1</translation>
    </message>
    <message>
        <source>head %1</source>
        <translation>Kopf %1</translation>
    </message>
    <message>
        <source>token %1</source>
        <translation>Token %1</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>Notizen</translation>
    </message>
    <message>
        <source>bookmark</source>
        <translation>Lesezeichen</translation>
    </message>
    <message>
        <source>place</source>
        <translation>Stelle</translation>
    </message>
    <message>
        <source>Recall</source>
        <translation>Recall</translation>
    </message>
    <message>
        <source>Documents</source>
        <translation>Dokumente</translation>
    </message>
    <message>
        <source> per step</source>
        <translation> je Schritt</translation>
    </message>
    <message>
        <source>Documents with needles, in addition to the samples of the texts; only their answers have a loss</source>
        <translation>Dokumente mit Nadeln, zusätzlich zu den Samples der Texte; nur ihre Antworten haben einen Verlust</translation>
    </message>
    <message>
        <source>Length</source>
        <translation>Länge</translation>
    </message>
    <message>
        <source> segments at most</source>
        <translation> Segmente höchstens</translation>
    </message>
    <message>
        <source>A document has 2, 4, 8 … segments</source>
        <translation>Ein Dokument hat 2, 4, 8 … Segmente</translation>
    </message>
    <message>
        <source>Weight</source>
        <translation>Gewicht</translation>
    </message>
    <message>
        <source>Weight of an answer&apos;s token in the loss; a token of the text has 1</source>
        <translation>Gewicht eines Tokens einer Antwort im Verlust; ein Token des Textes hat 1</translation>
    </message>
    <message>
        <source>auto</source>
        <translation>auto</translation>
    </message>
    <message>
        <source>has no prompts.json</source>
        <translation>hat keine prompts.json</translation>
    </message>
    <message>
        <source>Name the folder of a prompt set.</source>
        <translation>Nennen Sie den Ordner einer Prompt-Menge.</translation>
    </message>
    <message>
        <source>%1 on %2, threads: %3</source>
        <translation>%1 auf %2, Threads: %3</translation>
    </message>
    <message>
        <source>segmented: in segments, as the model will be run; full: under full attention, for comparison</source>
        <translation>segmented: in Segmenten, wie das Modell ausgeführt wird; full: unter voller Attention, zum Vergleich</translation>
    </message>
    <message>
        <source>Attention window</source>
        <translation>Attention-Fenster</translation>
    </message>
    <message>
        <source>Positions in the cache</source>
        <translation>Positionen im Cache</translation>
    </message>
    <message>
        <source>Policy streaming: sinks get the RoPE positions right before the window, as in StreamingLLM&apos;s cache; off: they keep their positions in the text (MInference&apos;s A-shape)</source>
        <translation>Verfahren streaming: Sinks bekommen die RoPE-Positionen direkt vor dem Fenster, wie im Cache von StreamingLLM; aus: Sie behalten ihre Positionen im Text (die A-Form von MInference)</translation>
    </message>
    <message>
        <source>the last tokens of an attention window</source>
        <translation>die letzten Token eines Attention-Fensters</translation>
    </message>
    <message>
        <source>sinks and the last tokens of an attention window (StreamingLLM)</source>
        <translation>Sinks und die letzten Token eines Attention-Fensters (StreamingLLM)</translation>
    </message>
    <message>
        <source>everything in the long-range heads, sinks and a window in the others (DuoAttention)</source>
        <translation>alles in den weitreichenden Köpfen, Sinks und ein Fenster in den anderen (DuoAttention)</translation>
    </message>
    <message>
        <source>%1 heads differ</source>
        <translation>%1 Köpfe unterscheiden sich</translation>
    </message>
    <message>
        <source>Head patterns</source>
        <translation>Muster der Köpfe</translation>
    </message>
    <message>
        <source>Policy minference: pattern of each head, in the format of MInference&apos;s files; heads that are not listed use vertical_and_slash with 1000 columns and 6096 diagonals</source>
        <translation>Verfahren minference: Muster jedes Kopfes, im Format der Dateien von MInference; Köpfe, die nicht aufgeführt sind, verwenden vertical_and_slash mit 1000 Spalten und 6096 Diagonalen</translation>
    </message>
    <message>
        <source>KV budget</source>
        <translation>KV-Budget</translation>
    </message>
    <message>
        <source>Policy snapkv: tokens of a prompt whose keys and values a KV head keeps, including the last L_q tokens</source>
        <translation>Verfahren snapkv: Token eines Prompts, deren Keys und Values ein KV-Kopf behält, die letzten L_q Token eingeschlossen</translation>
    </message>
    <message>
        <source>a pattern for each head: columns and diagonals, an A-shape, or blocks (MInference)</source>
        <translation>ein Muster für jeden Kopf: Spalten und Diagonalen, eine A-Form oder Blöcke (MInference)</translation>
    </message>
    <message>
        <source>everything until a prompt ends, then the keys that its last queries vote for (SnapKV)</source>
        <translation>alles, bis ein Prompt endet, dann die Keys, für die seine letzten Queries stimmen (SnapKV)</translation>
    </message>
    <message>
        <source>Memory blocks</source>
        <translation>Speicherblöcke</translation>
    </message>
    <message>
        <source>Policy infllm: past blocks that each segment, and in decoding each token, looks up</source>
        <translation>Verfahren infllm: vergangene Blöcke, die jedes Segment nachschlägt, und beim Dekodieren jedes Token</translation>
    </message>
    <message>
        <source>Memory block</source>
        <translation>Speicherblock</translation>
    </message>
    <message>
        <source>Policy infllm: tokens per block; a block is looked up as a whole</source>
        <translation>Verfahren infllm: Token je Block; ein Block wird als Ganzes nachgeschlagen</translation>
    </message>
    <message>
        <source>Representatives</source>
        <translation>Repräsentanten</translation>
    </message>
    <message>
        <source>Policy infllm: tokens of a block, those with most attention, the mean of whose keys represents the block in lookups</source>
        <translation>Verfahren infllm: Token eines Blocks, die am meisten Attention bekamen; das Mittel ihrer Keys steht beim Nachschlagen für den Block</translation>
    </message>
    <message>
        <source>sinks, a window, and blocks of the past that each segment looks up (InfLLM)</source>
        <translation>Sinks, ein Fenster und Blöcke der Vergangenheit, die jedes Segment nachschlägt (InfLLM)</translation>
    </message>
    <message>
        <source>Name the folder of an evaluation.</source>
        <translation>Nennen Sie den Ordner einer Auswertung.</translation>
    </message>
    <message>
        <source>Policies sliding, streaming, duo, infllm, cca and nsa: number of last keys, its own included, that a query sees besides sinks; must be at least S under infllm; a minimum under cca; one of three branches under nsa</source>
        <translation>Verfahren sliding, streaming, duo, infllm, cca und nsa: Zahl der letzten Keys, den eigenen eingeschlossen, die eine Query außer Sinks sieht; unter infllm mindestens S; unter cca ein Mindestwert; unter nsa einer von drei Zweigen</translation>
    </message>
    <message>
        <source>Core group</source>
        <translation>Kerngruppe</translation>
    </message>
    <message>
        <source>Policy cca: tokens per group; each group is pooled into one core token, which queries see beyond the attention window</source>
        <translation>Verfahren cca: Token je Gruppe; jede Gruppe wird zu einem Kern-Token zusammengefasst, das Queries jenseits des Attention-Fensters sehen</translation>
    </message>
    <message>
        <source>Selected block</source>
        <translation>Gewählter Block</translation>
    </message>
    <message>
        <source>Policy nsa: tokens per block; queries see the mean of each complete block, and all tokens of the blocks that they select</source>
        <translation>Verfahren nsa: Token je Block; Queries sehen das Mittel jedes vollständigen Blocks und alle Token der Blöcke, die sie wählen</translation>
    </message>
    <message>
        <source>Selected blocks</source>
        <translation>Gewählte Blöcke</translation>
    </message>
    <message>
        <source>Policy nsa: blocks that each query selects, including its own</source>
        <translation>Verfahren nsa: Blöcke, die jede Query wählt, den eigenen eingeschlossen</translation>
    </message>
    <message>
        <source>a window, and groups of older tokens that are each pooled into one (CCA-Attention)</source>
        <translation>ein Fenster und Gruppen älterer Token, die je zu einem zusammengefasst werden (CCA-Attention)</translation>
    </message>
    <message>
        <source>a mean of each block, the blocks that each query selects, and a window, by gates (NSA)</source>
        <translation>ein Mittel jedes Blocks, die Blöcke, die jede Query wählt, und ein Fenster, durch Gates gewichtet (NSA)</translation>
    </message>
    <message>
        <source>Open demo, model, text, run, training, experiment, evaluation, prompts, bench, session or state.</source>
        <translation>Öffnen Sie demo, model, text, run, training, experiment, evaluation, prompts, bench, session oder state.</translation>
    </message>
    <message>
        <source>Write: save [session | state] PATH.</source>
        <translation>So: save [session | state] PFAD.</translation>
    </message>
    <message>
        <source>demo | model PATH [ADAPTER] | text FILE | run FOLDER | training FOLDER | experiment FOLDER | evaluation FOLDER | prompts FOLDER | bench FOLDER | session FILE | state FILE</source>
        <translation>demo | model PFAD [ADAPTER] | text DATEI | run ORDNER | training ORDNER | experiment ORDNER | evaluation ORDNER | prompts ORDNER | bench ORDNER | session DATEI | state DATEI</translation>
    </message>
    <message>
        <source>FOLDER | session FILE | state FILE</source>
        <translation>ORDNER | session DATEI | state DATEI</translation>
    </message>
    <message>
        <source>A segment that reads a carry no longer sees the first tokens of the text, on which most heads put their attention. Without these tokens, %1 of the %2 segments after the first lose their attention sink, and the loss is %3. With the first %4 tokens in each prefix, %5 of %2 lose it, and the loss is &lt;b&gt;%6&lt;/b&gt; (%7 nats per token). &lt;i&gt;Sinks&lt;/i&gt; shows this by layer; &lt;i&gt;Compare&lt;/i&gt; shows both runs, whose losses include the first segment.</source>
        <translation>Ein Segment, das einen Übertrag liest, sieht die ersten Token des Textes nicht mehr, auf die die meisten Köpfe ihre Attention legen. Ohne diese Token verlieren %1 der %2 Segmente nach dem ersten ihren Attention-Sink, und der Verlust ist %3. Mit den ersten %4 Token in jedem Präfix verlieren ihn %5 von %2, und der Verlust ist &lt;b&gt;%6&lt;/b&gt; (%7 nat je Token). &lt;i&gt;Sinks&lt;/i&gt; zeigt das nach Schicht; &lt;i&gt;Vergleich&lt;/i&gt; zeigt beide Läufe, deren Verluste auch das erste Segment enthalten.</translation>
    </message>
    <message>
        <source>there is no sentence</source>
        <translation>es gibt keinen Satz</translation>
    </message>
    <message>
        <source>policy %1</source>
        <translation>Verfahren %1</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>Of another run: %1</source>
        <translation>Von einem anderen Lauf: %1</translation>
    </message>
    <message>
        <source>1 step</source>
        <translation>1 Schritt</translation>
    </message>
    <message>
        <source>Samples per micro-batch</source>
        <translation>Samples je Micro-Batch</translation>
    </message>
    <message>
        <source>They run one after another</source>
        <translation>Sie laufen nacheinander</translation>
    </message>
    <message>
        <source>has no file name</source>
        <translation>hat keinen Dateinamen</translation>
    </message>
    <message>
        <source>Write the path of the file after it.</source>
        <translation>Schreiben Sie den Pfad der Datei dahinter.</translation>
    </message>
    <message>
        <source>has %1 arguments, which is too few or too many</source>
        <translation>hat %1 Argumente: zu wenige oder zu viele</translation>
    </message>
    <message>
        <source>“%1” does not take this value: it needs a number within its range</source>
        <translation>„%1“ nimmt diesen Wert nicht: nötig ist eine Zahl in ihrem Bereich</translation>
    </message>
    <message>
        <source>This panel has no settings to choose.</source>
        <translation>Diese Ansicht hat keine Einstellungen zum Wählen.</translation>
    </message>
    <message>
        <source>no model</source>
        <translation>kein Modell</translation>
    </message>
    <message>
        <source>runs: %1</source>
        <translation>Läufe: %1</translation>
    </message>
    <message>
        <source>what-ifs</source>
        <translation>Versuche</translation>
    </message>
    <message>
        <source>questions</source>
        <translation>Fragen</translation>
    </message>
    <message>
        <source>notes</source>
        <translation>Notizen</translation>
    </message>
    <message>
        <source>bookmarks</source>
        <translation>Lesezeichen</translation>
    </message>
    <message>
        <source>pasted text</source>
        <translation>eingefügter Text</translation>
    </message>
    <message>
        <source>trainings: %1</source>
        <translation>Trainings: %1</translation>
    </message>
    <message>
        <source>experiments: %1</source>
        <translation>Experimente: %1</translation>
    </message>
    <message>
        <source>evaluations: %1</source>
        <translation>Auswertungen: %1</translation>
    </message>
    <message>
        <source>prompt sets: %1</source>
        <translation>Prompt-Mengen: %1</translation>
    </message>
    <message>
        <source>a fine-tune form</source>
        <translation>ein Formular zum Fine-Tuning</translation>
    </message>
    <message>
        <source>changes that its file lacks</source>
        <translation>Änderungen, die ihrer Datei fehlen</translation>
    </message>
    <message>
        <source>settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>unreadable</source>
        <translation>unlesbar</translation>
    </message>
    <message>
        <source>--%1 names no file or folder</source>
        <translation>--%1 nennt keine Datei und keinen Ordner</translation>
    </message>
    <message>
        <source>an empty argument names no model or text</source>
        <translation>ein leeres Argument nennt kein Modell und keinen Text</translation>
    </message>
    <message>
        <source>“%1”: %2</source>
        <translation>„%1“: %2</translation>
    </message>
    <message>
        <source>%1, without retrieval %2</source>
        <translation>%1, ohne Retrieval %2</translation>
    </message>
    <message>
        <source>positions</source>
        <translation>Positionen</translation>
    </message>
    <message>
        <source>probability without it</source>
        <translation>Wahrscheinlichkeit ohne sie</translation>
    </message>
    <message>
        <source>question</source>
        <translation>Frage</translation>
    </message>
    <message>
        <source>answer</source>
        <translation>Antwort</translation>
    </message>
    <message>
        <source>answer without retrieval</source>
        <translation>Antwort ohne Retrieval</translation>
    </message>
    <message>
        <source>probability</source>
        <translation>Wahrscheinlichkeit</translation>
    </message>
    <message>
        <source>asked about</source>
        <translation>gefragt zu</translation>
    </message>
    <message>
        <source>Questions</source>
        <translation>Fragen</translation>
    </message>
    <message>
        <source>“…%1&lt;b&gt;%2&lt;/b&gt;”</source>
        <translation>„…%1&lt;b&gt;%2&lt;/b&gt;“</translation>
    </message>
    <message>
        <source>RULER: needles, variable tracking, common and frequent words, questions</source>
        <translation>RULER: Nadeln, Verfolgen von Variablen, verbreitete und häufige Wörter, Fragen</translation>
    </message>
    <message>
        <source>for essays and questions a folder of RULER&apos;s downloads, or a data set that it made</source>
        <translation>für Aufsätze und Fragen ein Ordner mit RULERs Downloads oder ein Datensatz, den es gemacht hat</translation>
    </message>
    <message>
        <source>LongBench: questions, summaries, few-shot, code</source>
        <translation>LongBench: Fragen, Zusammenfassungen, Few-Shot, Programmtext</translation>
    </message>
    <message>
        <source>a folder of LongBench&apos;s files</source>
        <translation>ein Ordner mit den Dateien von LongBench</translation>
    </message>
    <message>
        <source>LongBench-E: thirteen of its sets, evenly over lengths</source>
        <translation>LongBench-E: dreizehn seiner Sätze, gleichmäßig über die Längen</translation>
    </message>
    <message>
        <source>LongBench v2: questions of four choices</source>
        <translation>LongBench v2: Fragen mit vier Antworten zur Wahl</translation>
    </message>
    <message>
        <source>a folder with LongBench v2&apos;s data.json and prompts/0shot.txt</source>
        <translation>ein Ordner mit data.json und prompts/0shot.txt von LongBench v2</translation>
    </message>
    <message>
        <source>BABILong: facts of bAbI in long texts</source>
        <translation>BABILong: Fakten aus bAbI in langen Texten</translation>
    </message>
    <message>
        <source>a folder of BABILong&apos;s files</source>
        <translation>ein Ordner mit den Dateien von BABILong</translation>
    </message>
    <message>
        <source>a sentence in a long text, by depth</source>
        <translation>ein Satz in einem langen Text, nach Tiefe</translation>
    </message>
    <message>
        <source>a text or a folder of texts; without it small talk</source>
        <translation>ein Text oder ein Ordner mit Texten; ohne ihn Geplauder</translation>
    </message>
    <message>
        <source>a number in sentences that repeat, by depth</source>
        <translation>eine Zahl in Sätzen, die sich wiederholen, nach Tiefe</translation>
    </message>
    <message>
        <source>pairs of a key and a value, by distance in segments</source>
        <translation>Paare aus Schlüssel und Wert, nach Abstand in Segmenten</translation>
    </message>
    <message>
        <source>perplexity by three conventions</source>
        <translation>Perplexität nach drei Konventionen</translation>
    </message>
    <message>
        <source>a text or a folder of texts</source>
        <translation>ein Text oder ein Ordner mit Texten</translation>
    </message>
    <message>
        <source>per-head: each reader searches for itself (the paper); shared: the search heads find positions for all readers; per-token: each query of a reader reads its own R best keys of the pool</source>
        <translation>per-head: Jeder Leser sucht für sich (wie im Paper); shared: Die Suchköpfe finden Positionen für alle Leser; per-token: Jede Query eines Lesers liest ihre eigenen R besten Keys des Pools</translation>
    </message>
    <message>
        <source>[no-carry] [no-sinks] [prefix SOURCE] [drop|add top-hit|selected|TOKEN] [ban|drop-tokens FIRST LAST] [patch carry|head|layer] [zero head|layer] [FIELD VALUE] [name TEXT]</source>
        <translation>[no-carry] [no-sinks] [prefix QUELLE] [drop|add top-hit|selected|TOKEN] [ban|drop-tokens ERSTES LETZTES] [patch carry|head|layer] [zero head|layer] [FELD WERT] [name TEXT]</translation>
    </message>
</context>
<context>
    <name>carryover::EditWords</name>
    <message>
        <source>nothing has been run</source>
        <translation>nichts wurde ausgeführt</translation>
    </message>
    <message>
        <source>Run a text first.</source>
        <translation>Führen Sie zuerst einen Text aus.</translation>
    </message>
    <message>
        <source>has no value</source>
        <translation>hat keinen Wert</translation>
    </message>
    <message>
        <source>Write the value after the name.</source>
        <translation>Schreiben Sie den Wert hinter den Namen.</translation>
    </message>
    <message>
        <source>no head is selected</source>
        <translation>kein Kopf ist gewählt</translation>
    </message>
    <message>
        <source>Select layer and head first.</source>
        <translation>Wählen Sie zuerst Schicht und Kopf.</translation>
    </message>
    <message>
        <source>no token is selected</source>
        <translation>kein Token ist gewählt</translation>
    </message>
    <message>
        <source>Select one first.</source>
        <translation>Wählen Sie zuerst eines.</translation>
    </message>
    <message>
        <source>can&apos;t be “%1”</source>
        <translation>kann nicht „%1“ sein</translation>
    </message>
    <message>
        <source>Use search, off, random, recent, constant, sinks or oracle.</source>
        <translation>Verwenden Sie search, off, random, recent, constant, sinks oder oracle.</translation>
    </message>
    <message>
        <source>Pin a run that corresponds.</source>
        <translation>Heften Sie einen Lauf an, der diesem entspricht.</translation>
    </message>
    <message>
        <source>Use carry, head or layer.</source>
        <translation>Verwenden Sie carry, head oder layer.</translation>
    </message>
    <message>
        <source>Use head or layer.</source>
        <translation>Verwenden Sie head oder layer.</translation>
    </message>
</context>
<context>
    <name>carryover::LineReader</name>
    <message>
        <source>a quote has no end</source>
        <translation>ein Anführungszeichen ist nicht geschlossen</translation>
    </message>
    <message>
        <source>Close it with %1.</source>
        <translation>Schließen Sie es mit %1.</translation>
    </message>
</context>
<context>
    <name>carryover::Rows</name>
    <message>
        <source>%1 (shared)</source>
        <translation>%1 (gemeinsam)</translation>
    </message>
    <message>
        <source>%1 (per head)</source>
        <translation>%1 (je Kopf)</translation>
    </message>
</context>
<context>
    <name>quantities</name>
    <message>
        <source>%L1 s</source>
        <translation>%L1 s</translation>
    </message>
    <message>
        <source>%L1 min</source>
        <translation>%L1 min</translation>
    </message>
    <message>
        <source>%L1 h</source>
        <translation>%L1 h</translation>
    </message>
</context>
<context>
    <name>std</name>
    <message>
        <source>--tokens takes a number of tokens; 0 runs the whole text</source>
        <translation>--tokens erwartet eine Zahl von Token; 0 führt den ganzen Text aus</translation>
    </message>
    <message>
        <source>“%1” is not a token of the run</source>
        <translation>„%1“ ist kein Token des Laufs</translation>
    </message>
    <message>
        <source>Count from 0.</source>
        <translation>Zählen Sie ab 0.</translation>
    </message>
</context>
</TS>
