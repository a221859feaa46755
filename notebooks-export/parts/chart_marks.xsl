<?xml version="1.0" encoding="UTF-8"?>
<!-- What a chart plots: lines, points, bars, wires, routers, cells. Series
     differ by colour and by the shape of their points, or by dashes if points
     are too close for shapes. -->
<xsl:stylesheet version="1.0"
    xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns="http://www.w3.org/2000/svg">

  <!-- Lines with more points than this (also in chart_marks.c) show them only
       when pointed at.
       Networks with more wires than this have no arrows. -->
  <xsl:variable name="dense" select="48"/>
  <xsl:variable name="crowded" select="1200"/>

  <xsl:template match="series" mode="class">
    <xsl:value-of select="concat('series s', @index mod 8)"/>
    <xsl:if test="line and count(point) &gt; $dense"> dense</xsl:if>
  </xsl:template>

  <xsl:template match="series">
    <g>
      <xsl:attribute name="class">
        <xsl:apply-templates select="." mode="class"/>
      </xsl:attribute>
      <xsl:apply-templates select="line"/>
      <xsl:apply-templates select="bar"/>
      <xsl:apply-templates select="point[@low != '']" mode="error"/>
      <xsl:apply-templates select="value"/>
    </g>
  </xsl:template>

  <!-- On top of all lines. -->
  <xsl:template match="series" mode="points">
    <g>
      <xsl:attribute name="class">
        <xsl:apply-templates select="." mode="class"/>
      </xsl:attribute>
      <xsl:apply-templates select="point"/>
    </g>
  </xsl:template>

  <!-- A number at the end of its bar. -->
  <xsl:template match="value">
    <text class="value {@side}" x="{@x}" y="{@y}"><xsl:value-of select="."/></text>
  </xsl:template>

  <!-- Where series saturate: a dashed line, coloured if it belongs to one. -->
  <xsl:template match="limit">
    <xsl:variable name="left" select="../axis[@side = 'left']"/>
    <xsl:variable name="bottom" select="../axis[@side = 'bottom']"/>
    <g class="limit">
      <xsl:if test="@index">
        <xsl:attribute name="class"><xsl:value-of select="concat('limit s', @index mod 8)"/></xsl:attribute>
      </xsl:if>
      <path d="M{@at} {$left/@from}V{$left/@to}"/>
      <title><xsl:value-of select="@label"/></title>
    </g>
    <xsl:if test="not(@index)">
      <xsl:variable name="is-right" select="@at &gt; ($bottom/@from + $bottom/@to) div 2"/>
      <text class="limit-name" x="{@at + 6 - 12 * $is-right}" y="{$left/@to - 13}">
        <xsl:if test="$is-right">
          <xsl:attribute name="text-anchor">end</xsl:attribute>
        </xsl:if>
        <xsl:value-of select="@label"/>
      </text>
    </xsl:if>
  </xsl:template>

  <xsl:template match="band">
    <polygon class="band s{../@index mod 8}" points="{@points}"/>
  </xsl:template>

  <xsl:template match="line">
    <polyline points="{@points}"/>
  </xsl:template>

  <xsl:template match="bar">
    <rect class="bar" x="{@x}" y="{@y}" width="{@width}" height="{@height}">
      <title><xsl:value-of select="@title"/></title>
    </rect>
  </xsl:template>

  <!-- Error bars are wider than points, and drawn below them. -->
  <xsl:template match="point" mode="error">
    <path class="error" d="M{@x} {@low}V{@high}M{@x - 4} {@low}h8M{@x - 4} {@high}h8">
      <xsl:if test="@open">
        <xsl:attribute name="class">error open</xsl:attribute>
      </xsl:if>
      <!-- An arrow if there is no upper end. -->
      <xsl:if test="@up">
        <xsl:attribute name="d"><xsl:value-of select="concat('M', @x, ' ', @low, 'V', @high, 'm-4 5 4-5 4 5')"/></xsl:attribute>
      </xsl:if>
    </path>
  </xsl:template>

  <xsl:template match="point">
    <path class="point" transform="translate({@x} {@y})">
      <xsl:if test="@open | @edge">
        <xsl:attribute name="class">
          <xsl:value-of select="concat('point ', name(@open | @edge))"/>
        </xsl:attribute>
      </xsl:if>
      <xsl:attribute name="d">
        <xsl:value-of select="@slice"/>
        <xsl:if test="not(@slice)">
          <xsl:call-template name="shape">
            <xsl:with-param name="index" select="(../@index + floor(../@index div 8)) mod 8"/>
            <xsl:with-param name="edge" select="@edge"/>
          </xsl:call-template>
        </xsl:if>
      </xsl:attribute>
      <title><xsl:value-of select="@title"/></title>
    </path>
  </xsl:template>

  <!-- The outline of a point around 0, 0; all have about the same area. The
       ninth series has the colour of the first, but the shape of the second. A
       point above the upper edge is an arrow at the edge. -->
  <xsl:template name="shape">
    <xsl:param name="index"/>
    <xsl:param name="edge"/>
    <xsl:choose>
      <xsl:when test="$edge">M0-7 5 1h-3.4v6h-3.2v-6h-3.4z</xsl:when>
      <xsl:when test="$index = 0">M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z</xsl:when>
      <xsl:when test="$index = 1">M-3.6-3.6h7.2v7.2h-7.2z</xsl:when>
      <xsl:when test="$index = 2">M0-5 4.8 3.4h-9.6z</xsl:when>
      <xsl:when test="$index = 3">M0-5.2 5.2 0 0 5.2-5.2 0z</xsl:when>
      <xsl:when test="$index = 4">M0 5 4.8-3.4h-9.6z</xsl:when>
      <xsl:when test="$index = 5">M-1.6-5h3.2v3.4h3.4v3.2h-3.4v3.4h-3.2v-3.4h-3.4v-3.2h3.4z</xsl:when>
      <xsl:when test="$index = 6">M0-4.8 4.6-1.5 2.8 3.9h-5.6l-1.8-5.4z</xsl:when>
      <xsl:otherwise>M-4.6-2.6-2.6-4.6 0-2 2.6-4.6 4.6-2.6 2 0 4.6 2.6 2.6 4.6 0 2-2.6 4.6-4.6 2.6-2 0z</xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <!-- A series in the legend. -->
  <xsl:template match="series" mode="sample">
    <xsl:param name="x"/>
    <xsl:param name="y"/>
    <g transform="translate({$x} {$y})">
      <xsl:attribute name="class">
        <xsl:apply-templates select="." mode="class"/>
        <xsl:text> sample</xsl:text>
      </xsl:attribute>
      <xsl:choose>
        <xsl:when test="bar">
          <rect class="bar" x="8" y="-5" width="16" height="10"/>
        </xsl:when>
        <xsl:otherwise>
          <xsl:if test="line">
            <polyline points="0,0 28,0"/>
          </xsl:if>
          <xsl:if test="point and not(line and count(point) &gt; $dense)">
            <path class="point" transform="translate(14 0)">
              <xsl:attribute name="d">
                <xsl:call-template name="shape">
                  <xsl:with-param name="index" select="(@index + floor(@index div 8)) mod 8"/>
                </xsl:call-template>
              </xsl:attribute>
            </path>
          </xsl:if>
        </xsl:otherwise>
      </xsl:choose>
    </g>
  </xsl:template>

  <!-- A wire with its arrow in the middle, where no router hides it. The curve
       is divided there (de Casteljau), to have a corner for the marker. -->
  <xsl:template match="wire">
    <xsl:param name="arrows"/>
    <!-- Without a bend the sum is 0; as a number it would be NaN. -->
    <xsl:variable name="bend" select="sum(@bend[. != ''])"/>
    <xsl:variable name="cx" select="(@x1 + @x2) div 2 + $bend * (@y2 - @y1)"/>
    <xsl:variable name="cy" select="(@y1 + @y2) div 2 - $bend * (@x2 - @x1)"/>
    <xsl:variable name="ax" select="(@x1 + $cx) div 2"/>
    <xsl:variable name="ay" select="(@y1 + $cy) div 2"/>
    <xsl:variable name="bx" select="($cx + @x2) div 2"/>
    <xsl:variable name="by" select="($cy + @y2) div 2"/>
    <xsl:variable name="mx" select="($ax + $bx) div 2"/>
    <xsl:variable name="my" select="($ay + $by) div 2"/>
    <path d="M{@x1} {@y1}Q{$ax} {$ay} {$mx} {$my}Q{$bx} {$by} {@x2} {@y2}">
      <xsl:attribute name="class">
        <xsl:value-of select="concat('l', @level)"/>
        <xsl:if test="@marked"> marked</xsl:if>
      </xsl:attribute>
      <xsl:if test="$arrows">
        <xsl:attribute name="marker-mid">
          <xsl:value-of select="concat('url(#', ../@id, '-arrow-', @level, ')')"/>
        </xsl:attribute>
      </xsl:if>
      <title><xsl:value-of select="@title"/></title>
    </path>
  </xsl:template>

  <!-- An arrow for each level of a wire. -->
  <xsl:key name="levels" match="wire" use="concat(../@id, ' ', @level)"/>

  <xsl:template match="chart" mode="arrows">
    <defs>
      <xsl:for-each select="wire">
        <xsl:variable name="same" select="key('levels', concat(../@id, ' ', @level))"/>
        <xsl:if test="generate-id() = generate-id($same[1])">
          <marker id="{../@id}-arrow-{@level}" class="f{@level}" orient="auto"
                  viewBox="-5 -4 9 8" markerWidth="9" markerHeight="8"
                  markerUnits="userSpaceOnUse">
            <path d="M-4-3.2 4 0-4 3.2-2.4 0z"/>
          </marker>
        </xsl:if>
      </xsl:for-each>
    </defs>
  </xsl:template>

  <xsl:template match="router">
    <g class="router">
      <circle cx="{@x}" cy="{@y}" r="{@r}"/>
      <xsl:if test="@label != ''">
        <text x="{@x}" y="{@y}"><xsl:value-of select="@label"/></text>
      </xsl:if>
      <title><xsl:value-of select="@title"/></title>
    </g>
  </xsl:template>

  <!-- The cables of a fabric; thin where there are many. -->
  <xsl:template match="chart" mode="links">
    <defs>
      <marker id="{@id}-loop" class="loop" orient="auto" viewBox="-6 -5 12 10"
              markerWidth="14" markerHeight="12" markerUnits="userSpaceOnUse">
        <path d="M-5-4.4 5 0-5 4.4-2.6 0z"/>
      </marker>
    </defs>
    <g class="links">
      <xsl:if test="count(link[not(@marked)]) &gt; 48 or link[not(@title)]">
        <xsl:attribute name="class">links many</xsl:attribute>
      </xsl:if>
      <xsl:apply-templates select="link"/>
    </g>
  </xsl:template>

  <xsl:template match="link">
    <xsl:if test="@marked = 'full'">
      <path class="halo" d="{@d}"/>
      <path class="halo gap" d="{@d}"/>
    </xsl:if>
    <path class="l{@level}" d="{@d}">
      <xsl:if test="@marked">
        <xsl:attribute name="class">
          <xsl:value-of select="concat('l', @level, ' ', @marked)"/>
        </xsl:attribute>
      </xsl:if>
      <xsl:if test="@marked = 'loop'">
        <xsl:attribute name="marker-mid">
          <xsl:value-of select="concat('url(#', ../@id, '-loop)')"/>
        </xsl:attribute>
      </xsl:if>
      <xsl:if test="@title">
        <title><xsl:value-of select="@title"/></title>
      </xsl:if>
    </path>
  </xsl:template>

  <xsl:template match="box">
    <g class="box">
      <rect x="{@x}" y="{@y}" width="{@width}" height="{@height}" rx="3">
        <xsl:if test="@level">
          <xsl:attribute name="class"><xsl:value-of select="concat('inside l', @level)"/></xsl:attribute>
        </xsl:if>
      </rect>
      <xsl:for-each select="line">
        <text x="{@x}" y="{@y}">
          <xsl:if test="../@turned">
            <xsl:attribute name="class">turned</xsl:attribute>
            <xsl:attribute name="transform"><xsl:value-of select="concat('rotate(-90 ', @x, ' ', @y, ')')"/></xsl:attribute>
          </xsl:if>
          <xsl:value-of select="."/>
        </text>
      </xsl:for-each>
      <title><xsl:value-of select="@title"/></title>
    </g>
  </xsl:template>

  <xsl:template match="word">
    <text class="word" x="{@x}" y="{@y}"><xsl:value-of select="."/></text>
  </xsl:template>

  <!-- F: the fullest cable, L: the credit loop, !: something odd. -->
  <xsl:template match="mark">
    <g class="mark {@kind}">
      <circle cx="{@x}" cy="{@y}" r="7"/>
      <text x="{@x}" y="{@y}">
        <xsl:choose>
          <xsl:when test="@kind = 'full'">F</xsl:when>
          <xsl:when test="@kind = 'loop'">L</xsl:when>
          <xsl:otherwise>!</xsl:otherwise>
        </xsl:choose>
      </text>
    </g>
  </xsl:template>

  <xsl:template match="cell">
    <rect class="cell f{@level}" x="{@x}" y="{@y}" width="{@width}"
          height="{@height}">
      <title><xsl:value-of select="@title"/></title>
    </rect>
  </xsl:template>
</xsl:stylesheet>
