<?xml version="1.0" encoding="UTF-8"?>
<!-- Tables as LaTeX: fitting them into the page width of class article, 345 pt;
     at 10 pt a character takes 4.7 pt. -->
<xsl:stylesheet version="1.0"
    xmlns:xsl="http://www.w3.org/1999/XSL/Transform">

  <!-- A type size for a line with these numbers of characters and columns. -->
  <xsl:template name="size">
    <xsl:param name="long"/>
    <xsl:param name="columns"/>
    <xsl:choose>
      <xsl:when test="4.7 * $long + 12 * $columns &lt;= 345"/>
      <xsl:when test="4.25 * $long + 8 * $columns &lt;= 345">\small\setlength{\tabcolsep}{4pt}</xsl:when>
      <xsl:when test="3.8 * $long + 6 * $columns &lt;= 345">\footnotesize\setlength{\tabcolsep}{3pt}</xsl:when>
      <xsl:when test="3.4 * $long + 4 * $columns &lt;= 345">\scriptsize\setlength{\tabcolsep}{2pt}</xsl:when>
      <xsl:otherwise>
        <xsl:text>% Wider than a page: choose columns by netbound's --show.&#10;</xsl:text>
        <xsl:text>  \scriptsize\setlength{\tabcolsep}{2pt}</xsl:text>
      </xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <!-- The width of a column in characters, as four digits. -->
  <xsl:template match="column" mode="width">
    <xsl:param name="kind"/>
    <xsl:param name="place"/>
    <xsl:variable name="name" select="substring(@name, 1, 12)"/>
    <xsl:variable name="unit" select="substring(concat('(', @unit, ')'), 1, 14 * (@unit != '' and @unit != '1'))"/>
    <xsl:variable name="cell">
      <xsl:call-template name="longest">
        <xsl:with-param name="texts" select="../row/cell[position() = $place]"/>
      </xsl:call-template>
    </xsl:variable>
    <xsl:variable name="head" select="concat($name, substring($unit, string-length($name) + 1))"/>
    <xsl:variable name="most" select="string-length(concat($cell, substring($head, string-length($cell) + 1)))"/>
    <xsl:choose>
      <xsl:when test="$kind = '0'">0000</xsl:when>
      <xsl:when test="$kind = 'p'">0020</xsl:when>
      <xsl:when test="$most &gt; 9000">9000</xsl:when>
      <xsl:otherwise>
        <xsl:value-of select="format-number($most + 2 * ($kind = 't'), '0000')"/>
      </xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <xsl:template name="longest">
    <xsl:param name="texts"/>
    <xsl:for-each select="$texts">
      <xsl:sort select="string-length()" data-type="number" order="descending"/>
      <xsl:if test="position() = 1"><xsl:value-of select="."/></xsl:if>
    </xsl:for-each>
  </xsl:template>

  <!-- The number of characters of a line with all columns. -->
  <xsl:template name="line">
    <xsl:param name="kinds"/>
    <xsl:param name="widths"/>
    <xsl:param name="long" select="0"/>
    <xsl:choose>
      <xsl:when test="$kinds = ''"><xsl:value-of select="$long"/></xsl:when>
      <xsl:otherwise>
        <xsl:call-template name="line">
          <xsl:with-param name="kinds" select="substring($kinds, 2)"/>
          <xsl:with-param name="widths" select="substring($widths, 5)"/>
          <xsl:with-param name="long" select="$long +
              substring($widths, 1, 4) * not(starts-with($kinds, '0'))"/>
        </xsl:call-template>
      </xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <!-- A table in consecutive parts: each has the columns that identify the
       rows, and those of the others that fit. -->
  <xsl:template match="table" mode="parts">
    <xsl:param name="kinds"/>
    <xsl:param name="widths"/>
    <xsl:param name="keys" select="count(column[@swept]) + not(column[@swept])"/>
    <xsl:param name="from" select="$keys + 1"/>
    <xsl:param name="number" select="1"/>
    <xsl:variable name="key-kinds" select="substring($kinds, 1, $keys)"/>
    <xsl:variable name="long">
      <xsl:call-template name="line">
        <xsl:with-param name="kinds" select="$key-kinds"/>
        <xsl:with-param name="widths" select="$widths"/>
      </xsl:call-template>
    </xsl:variable>
    <xsl:variable name="next">
      <xsl:call-template name="next">
        <xsl:with-param name="kinds" select="substring($kinds, $from)"/>
        <xsl:with-param name="widths" select="substring($widths, 4 * $from - 3)"/>
        <xsl:with-param name="long" select="number($long)"/>
        <xsl:with-param name="columns" select="string-length(translate($key-kinds, '0', ''))"/>
        <xsl:with-param name="place" select="$from"/>
      </xsl:call-template>
    </xsl:variable>
    <xsl:apply-templates select="." mode="whole">
      <xsl:with-param name="kinds">
        <xsl:for-each select="column">
          <xsl:choose>
            <xsl:when test="position() &lt;= $keys or
                            (position() &gt;= $from and position() &lt; $next)">
              <xsl:value-of select="substring($kinds, position(), 1)"/>
            </xsl:when>
            <xsl:otherwise>0</xsl:otherwise>
          </xsl:choose>
        </xsl:for-each>
      </xsl:with-param>
      <xsl:with-param name="widths" select="$widths"/>
      <xsl:with-param name="number" select="$number"/>
    </xsl:apply-templates>
    <xsl:if test="translate(substring($kinds, $next), '0', '') != ''">
      <xsl:apply-templates select="." mode="parts">
        <xsl:with-param name="kinds" select="$kinds"/>
        <xsl:with-param name="widths" select="$widths"/>
        <xsl:with-param name="keys" select="$keys"/>
        <xsl:with-param name="from" select="number($next)"/>
        <xsl:with-param name="number" select="$number + 1"/>
      </xsl:apply-templates>
    </xsl:if>
  </xsl:template>

  <!-- The first column, starting at a place, that does not fit; one always
       fits. -->
  <xsl:template name="next">
    <xsl:param name="kinds"/>
    <xsl:param name="widths"/>
    <xsl:param name="long"/>
    <xsl:param name="columns"/>
    <xsl:param name="place"/>
    <xsl:param name="is-first" select="true()"/>
    <xsl:variable name="is-seen" select="not(starts-with($kinds, '0'))"/>
    <xsl:variable name="wide" select="$long + $is-seen * substring($widths, 1, 4)"/>
    <xsl:choose>
      <xsl:when test="$kinds = '' or ($is-seen and not($is-first) and
                      3.8 * $wide + 6 * ($columns + 1) &gt; 345)">
        <xsl:value-of select="$place"/>
      </xsl:when>
      <xsl:otherwise>
        <xsl:call-template name="next">
          <xsl:with-param name="kinds" select="substring($kinds, 2)"/>
          <xsl:with-param name="widths" select="substring($widths, 5)"/>
          <xsl:with-param name="long" select="$wide"/>
          <xsl:with-param name="columns" select="$columns + $is-seen"/>
          <xsl:with-param name="place" select="$place + 1"/>
          <xsl:with-param name="is-first" select="$is-first and not($is-seen)"/>
        </xsl:call-template>
      </xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <!-- For a turned table: the number of characters before its numbers. -->
  <xsl:template match="table" mode="turned-names">
    <xsl:variable name="line">
      <xsl:call-template name="longest">
        <xsl:with-param name="texts" select="column[not(@swept)]/@name"/>
      </xsl:call-template>
      <xsl:call-template name="longest">
        <xsl:with-param name="texts" select="column/@unit[. != '1']"/>
      </xsl:call-template>
    </xsl:variable>
    <xsl:value-of select="string-length($line)"/>
  </xsl:template>

  <!-- The width of one of its columns in characters, as four digits. -->
  <xsl:template match="row" mode="width">
    <xsl:variable name="cell">
      <xsl:call-template name="longest">
        <xsl:with-param name="texts" select="cell"/>
      </xsl:call-template>
    </xsl:variable>
    <xsl:value-of select="substring(format-number(10002 + string-length($cell), '00000'), 2, 4)"/>
  </xsl:template>

  <!-- The number of characters of one of its lines. -->
  <xsl:template match="table" mode="turned-line">
    <xsl:call-template name="line">
      <xsl:with-param name="kinds"><xsl:for-each select="row">r</xsl:for-each></xsl:with-param>
      <xsl:with-param name="widths"><xsl:apply-templates select="row" mode="width"/></xsl:with-param>
      <xsl:with-param name="long">
        <xsl:apply-templates select="." mode="turned-names"/>
      </xsl:with-param>
    </xsl:call-template>
  </xsl:template>

  <!-- Few points with many quantities: a line per quantity, a column per
       point. Split into parts if still too wide. -->
  <xsl:template match="table" mode="turned">
    <xsl:param name="kinds"/>
    <xsl:param name="from" select="1"/>
    <xsl:param name="number" select="1"/>
    <xsl:variable name="has-units" select="boolean(column[@unit != '' and @unit != '1'])"/>
    <xsl:variable name="names"><xsl:apply-templates select="." mode="turned-names"/></xsl:variable>
    <xsl:variable name="widths"><xsl:apply-templates select="row" mode="width"/></xsl:variable>
    <xsl:variable name="points"><xsl:for-each select="row">r</xsl:for-each></xsl:variable>
    <xsl:variable name="long"><xsl:apply-templates select="." mode="turned-line"/></xsl:variable>
    <xsl:variable name="next">
      <xsl:choose>
        <xsl:when test="3.4 * $long + 4 * (count(row) + 1 + $has-units) &lt;= 345">
          <xsl:value-of select="count(row) + 1"/>
        </xsl:when>
        <xsl:otherwise>
          <xsl:call-template name="next">
            <xsl:with-param name="kinds" select="substring($points, $from)"/>
            <xsl:with-param name="widths" select="substring($widths, 4 * $from - 3)"/>
            <xsl:with-param name="long" select="number($names)"/>
            <xsl:with-param name="columns" select="1 + $has-units"/>
            <xsl:with-param name="place" select="$from"/>
          </xsl:call-template>
        </xsl:otherwise>
      </xsl:choose>
    </xsl:variable>
    <xsl:variable name="line">
      <xsl:call-template name="line">
        <xsl:with-param name="kinds" select="substring($points, $from, $next - $from)"/>
        <xsl:with-param name="widths" select="substring($widths, 4 * $from - 3)"/>
        <xsl:with-param name="long" select="number($names)"/>
      </xsl:call-template>
    </xsl:variable>
    <xsl:call-template name="float">
      <xsl:with-param name="lines" select="count(column[not(@swept)])"/>
      <xsl:with-param name="number" select="$number"/>
      <xsl:with-param name="size">
        <xsl:call-template name="size">
          <xsl:with-param name="long" select="$line"/>
          <xsl:with-param name="columns" select="$next - $from + 1 + $has-units"/>
        </xsl:call-template>
      </xsl:with-param>
      <xsl:with-param name="columns"
          select="concat(substring('ll', 1, 1 + $has-units),
                         substring($points, $from, $next - $from))"/>
      <xsl:with-param name="head">
        <xsl:text>  \toprule&#10;</xsl:text>
        <xsl:for-each select="column[@swept]">
          <xsl:apply-templates select="." mode="turned">
            <xsl:with-param name="has-units" select="$has-units"/>
            <xsl:with-param name="from" select="$from"/>
            <xsl:with-param name="next" select="number($next)"/>
            <xsl:with-param name="kind" select="substring($kinds, position(), 1)"/>
          </xsl:apply-templates>
        </xsl:for-each>
        <xsl:text>  \midrule&#10;</xsl:text>
      </xsl:with-param>
      <xsl:with-param name="rows">
        <xsl:for-each select="column">
          <xsl:variable name="kind" select="substring($kinds, position(), 1)"/>
          <xsl:if test="not(@swept) and $kind != '0'">
            <xsl:apply-templates select="." mode="turned">
              <xsl:with-param name="has-units" select="$has-units"/>
              <xsl:with-param name="from" select="$from"/>
              <xsl:with-param name="next" select="number($next)"/>
              <xsl:with-param name="place" select="position()"/>
              <xsl:with-param name="kind" select="translate($kind, 'd', 'r')"/>
            </xsl:apply-templates>
          </xsl:if>
        </xsl:for-each>
      </xsl:with-param>
    </xsl:call-template>
    <xsl:if test="$next &lt;= count(row)">
      <xsl:apply-templates select="." mode="turned">
        <xsl:with-param name="kinds" select="$kinds"/>
        <xsl:with-param name="from" select="number($next)"/>
        <xsl:with-param name="number" select="$number + 1"/>
      </xsl:apply-templates>
    </xsl:if>
  </xsl:template>

  <!-- A line from a former column, for a range of points. -->
  <xsl:template match="column" mode="turned">
    <xsl:param name="has-units"/>
    <xsl:param name="from"/>
    <xsl:param name="next"/>
    <xsl:param name="kind"/>
    <xsl:param name="place" select="position()"/>
    <xsl:variable name="name">
      <xsl:call-template name="readable">
        <xsl:with-param name="name" select="@name"/>
      </xsl:call-template>
    </xsl:variable>
    <xsl:text>  </xsl:text>
    <xsl:call-template name="words"><xsl:with-param name="text" select="$name"/></xsl:call-template>
    <xsl:if test="$has-units">
      <xsl:text> &amp; </xsl:text>
      <xsl:if test="@unit != '1'">
        <xsl:call-template name="words"><xsl:with-param name="text" select="@unit"/></xsl:call-template>
      </xsl:if>
    </xsl:if>
    <xsl:for-each select="../row[position() &gt;= $from and position() &lt; $next]
                          /cell[position() = $place]">
      <xsl:text> &amp; </xsl:text>
      <xsl:apply-templates select="." mode="set">
        <xsl:with-param name="kind" select="$kind"/>
      </xsl:apply-templates>
    </xsl:for-each>
    <xsl:text> \tabularnewline&#10;</xsl:text>
  </xsl:template>
</xsl:stylesheet>
