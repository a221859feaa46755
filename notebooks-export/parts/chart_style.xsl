<?xml version="1.0" encoding="UTF-8"?>
<!-- Rules and colours of charts, as text of CSS. Series: eight hues of
     similar lightness that colour-blind people can distinguish. Levels: steadily
     from near the background colour to far from it. -->
<xsl:stylesheet version="1.0"
    xmlns:xsl="http://www.w3.org/1999/XSL/Transform">

  <xsl:template name="chart-light">
    --text: #1c2127; --text-soft: #545d68; --back: #fdfdfb;
    --line: #c9ced4; --grid: #e7e9ec;
    --series-0: #0069a8; --series-1: #c14d00; --series-2: #00785a;
    --series-3: #9c3f7c; --series-4: #806600; --series-5: #3b7fd1;
    --series-6: #7a5540; --series-7: #4d5661;
    --loop: #c4006b;
    --level-0: #dde1e6; --level-1: #f3d9a4; --level-2: #f2ba6b;
    --level-3: #eb9744; --level-4: #dc7130; --level-5: #c34c29;
    --level-6: #9d2f2e; --level-7: #722035; --level-8: #451533;
  </xsl:template>

  <xsl:template name="chart-dark">
    --text: #e6e8eb; --text-soft: #a3adb8; --back: #15181c;
    --line: #4a525c; --grid: #262b31;
    --series-0: #5cb8f0; --series-1: #f58b4c; --series-2: #35c79c;
    --series-3: #e396c6; --series-4: #dcc03f; --series-5: #94a8ff;
    --series-6: #c9a184; --series-7: #b4bdc7;
    --loop: #ff6fb5;
    --level-0: #333a42; --level-1: #51333f; --level-2: #733548;
    --level-3: #983b46; --level-4: #bd4a3c; --level-5: #db6634;
    --level-6: #ee8c3c; --level-7: #f6b75a; --level-8: #fbe59b;
  </xsl:template>

  <xsl:template name="chart-rules">
.chart text { font: 13px system-ui, sans-serif; fill: var(--text-soft); font-variant-numeric: tabular-nums; }
.chart text.name { fill: var(--text); }
.chart .grid path { stroke: var(--grid); }
.chart .axis path { stroke: var(--line); fill: none; }
.chart .axis-bottom text, .chart .scale text { text-anchor: middle; }
.chart .axis-left text { text-anchor: end; }
.chart .axis-left text.name, .chart .scale text.name { text-anchor: start; }
.chart .scale text { font-size: 11.5px; }
.chart .legend text { fill: var(--text); }
.series polyline { fill: none; stroke: currentColor; stroke-width: 1.75; stroke-linejoin: round; }
.series .error { fill: none; stroke: currentColor; stroke-width: 1.25; }
.series .error.open { stroke-opacity: 0.5; }
.series .point { fill: currentColor; stroke: var(--back); stroke-width: 1; }
.series .point.open { fill: var(--back); stroke: currentColor; stroke-width: 1.5; }
.series .bar { fill: currentColor; fill-opacity: 0.85; }
.series .bar:hover { fill-opacity: 1; }
.chart-comparison .bar { fill-opacity: 0.5; }
.dense polyline { stroke-width: 2; }
.dense .point { opacity: 0; }
.dense .point:hover, .dense .point.edge { opacity: 1; }
.dense.s1 polyline { stroke-dasharray: 8 3; }
.dense.s2 polyline { stroke-dasharray: 2 3; }
.dense.s3 polyline { stroke-dasharray: 10 3 2 3; }
.dense.s4 polyline { stroke-dasharray: 5 3; }
.dense.s5 polyline { stroke-dasharray: 12 3 2 3 2 3; }
.dense.s6 polyline { stroke-dasharray: 4 2 1 2; }
.dense.s7 polyline { stroke-dasharray: 1 2; }
.chart .value { fill: var(--text); font-size: 11.5px; }
.chart .value.right { dominant-baseline: central; }
.chart .value.above { text-anchor: middle; }
.limit { color: var(--text-soft); }
.limit path { fill: none; stroke: currentColor; stroke-width: 1.25; stroke-dasharray: 5 4; }
.chart .limit-name { font-size: 11.5px; paint-order: stroke; stroke: var(--back); stroke-width: 3px; }
.band { fill: currentColor; fill-opacity: 0.16; }
.wires path { fill: none; stroke: currentColor; }
.wires path.marked { stroke: var(--loop); stroke-width: 4; stroke-dasharray: 7 3; }
.wires path:hover { stroke: var(--text); }
.router circle { fill: var(--back); stroke: var(--text-soft); }
.chart .router text { fill: var(--text); font-size: 10px; text-anchor: middle; dominant-baseline: central; paint-order: stroke; stroke: var(--back); stroke-width: 3px; stroke-linejoin: round; }
.links path { fill: none; stroke: currentColor; }
.links path:hover { stroke: var(--text); }
.links .halo { stroke: var(--text); stroke-width: 9; }
.links .gap { stroke: var(--back); stroke-width: 6; }
.links path.full { stroke-width: 3; }
.links path.loop { stroke: var(--loop); stroke-width: 3; stroke-dasharray: 7 3; }
.box rect { fill: var(--back); stroke: var(--text-soft); }
.box rect.inside { stroke: currentColor; }
.chart .box text { fill: var(--text); font-size: 10.5px; text-anchor: middle; dominant-baseline: central; }
.chart .box text.turned { text-anchor: start; }
.chart text.word { font-size: 12px; fill: var(--text); }
.mark circle { fill: var(--text); stroke: var(--back); }
.mark.loop circle, marker.loop { fill: var(--loop); }
.chart .mark text { fill: var(--back); font-size: 10.5px; font-weight: 700; text-anchor: middle; dominant-baseline: central; }
<xsl:call-template name="chart-numbered">
      <xsl:with-param name="number" select="0"/>
    </xsl:call-template>
  </xsl:template>

  <!-- The rules of series and levels, starting at a number. -->
  <xsl:template name="chart-numbered">
    <xsl:param name="number"/>
    <xsl:if test="$number &lt;= 8">
      <xsl:if test="$number &lt; 8">
        <xsl:value-of select="concat('.s', $number, ' { color: var(--series-',
                                     $number, '); }&#10;')"/>
      </xsl:if>
      <xsl:value-of select="concat('.f', $number, ' { fill: var(--level-',
                                   $number, '); }&#10;')"/>
      <xsl:value-of select="concat('.l', $number, ' { color: var(--level-',
                                   $number, '); stroke-width: ',
                                   1.2 + 0.3 * $number, '; }&#10;')"/>
      <xsl:value-of select="concat('.many .l', $number, ' { stroke-width: ',
                                   0.5 + 0.1 * $number, '; }&#10;')"/>
      <xsl:call-template name="chart-numbered">
        <xsl:with-param name="number" select="$number + 1"/>
      </xsl:call-template>
    </xsl:if>
  </xsl:template>
</xsl:stylesheet>
